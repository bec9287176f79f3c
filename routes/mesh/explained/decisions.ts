/**
 * Design choices of the mesh API, by the rules of the refusals that depend on them
 * (behaviour/program#explanations).
 */
export const decisions: Readonly<Record<string, string>> = {
  'namespaces-unsupported-in-header': 'editions-without-namespaces',
  'namespaces-unsupported-in-query': 'editions-without-namespaces',
  'no-leader': 'no-leader',
  'body-unreadable': 'broken-json-texts',
  'namespace-absent-for-data': 'kv-unknown-namespace',
  'key-of-every-namespace': 'kv-wildcard-namespace',
}
