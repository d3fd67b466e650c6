/** A UUID in lower case, as the service and the agent write it. Stores name folders and files by it. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
