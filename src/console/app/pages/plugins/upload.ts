import { putBytes } from '../../api/client';
import { announceUpload, type UploadBody, type UploadUrls } from './plugins-queries';

/** The bytes of a build go from this browser to the addresses that the service signs. */

export interface Uploaded {
  readonly urls: UploadUrls;
  readonly name: string;
  readonly file: File;
  readonly body: Described;
}

/** What is said of the build. */
export type Described = UploadBody & {
  readonly version: string;
  readonly arch: string;
  readonly build: 'alpha' | 'release';
};

/** A larger file would fill the memory of the browser. */
export const MOST_HASHED = 256_000_000;

/** SHA-256 in hexadecimal; undefined where the browser does not compute it. */
export async function checksumOf(file: File): Promise<string | undefined> {
  if (!window.isSecureContext || file.size > MOST_HASHED) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether the service itself stores the bytes. The policy lets a page write nowhere else. */
export const isOwn = ({ latest_upload_url: latest, version_upload_url: version }: UploadUrls): boolean =>
  [latest, version].every((url) => new URL(url).origin === window.location.origin);

/** @param tell what is being done, in words */
export async function upload(
  name: string,
  file: File,
  body: Described,
  tell: (step: string) => void,
): Promise<Uploaded> {
  tell('Announcing the build …');
  const urls = await announceUpload(name, body);
  const uploaded = { urls, name, file, body };
  if (!isOwn(urls)) return uploaded;
  // The version first: with the second one, installers get it.
  tell('Uploading the version …');
  await putBytes(urls.version_upload_url, file);
  tell('Uploading it as the latest …');
  await putBytes(urls.latest_upload_url, file);
  return uploaded;
}
