/* global SwaggerUIBundle */
// Asked for before Swagger UI is there: both arrive at the same time.
const description = fetch('v1/openapi.json').then((answer) => answer.json());

try {
  // Earlier versions of this page kept the token here.
  localStorage.removeItem('authorized');
} catch {
  // The browser blocks storage, so nothing is kept there.
}

/** Finds operations by their path, name, summary or tag; Swagger UI itself looks at tags only. */
function findOperations(tagged, phrase) {
  const wanted = phrase.toLowerCase();
  return tagged
    .map((group, tag) =>
      tag.toLowerCase().includes(wanted)
        ? group
        : group.update('operations', (operations) =>
            operations.filter((one) => {
              const of = (member) => one.getIn(['operation', member]) ?? '';
              return `${one.get('path')} ${of('operationId')} ${of('summary')}`.toLowerCase().includes(wanted);
            }),
          ),
    )
    .filter((group) => group.get('operations').size > 0);
}

/** Writes the name of a wing above the first of its tags. While a filter is on, that tag may be hidden. */
function wingHeadings(groups) {
  const wings = new Map(groups.map(({ name, tags }) => [tags[0], name]));
  return {
    OperationTag: (Tag, { React }) =>
      function TagOfWing(props) {
        const tag = React.createElement(Tag, props);
        const name = wings.get(props.tag);
        if (name === undefined) return tag;
        return React.createElement(React.Fragment, null, React.createElement('h2', { className: 'wing' }, name), tag);
      },
  };
}

addEventListener('DOMContentLoaded', async () => {
  const spec = await description;
  SwaggerUIBundle({
    // As an object: as a text it would be parsed as YAML, which takes a second.
    spec,
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [{ fn: { opsFilter: findOperations }, wrapComponents: wingHeadings(spec['x-tagGroups']) }],
    layout: 'BaseLayout',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    filter: true,
    // The token stays in memory, and is gone when the page is left.
    persistAuthorization: false,
    validatorUrl: null,
  });
});
