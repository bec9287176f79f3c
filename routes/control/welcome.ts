import type { WorldInfo } from './worlds/world-control.ts'

/**
 * Returns a short text with a description and links, for callers who open the address of the server
 * with a browser or curl.
 *
 * @param origin scheme and host under which the caller reaches the server
 */
export function welcome({ name, version, dialect, services }: WorldInfo, origin: string): string {
  const apis = Object.entries(services).map(([api, { url }]) => `  ${api.padEnd(9)} ${url}`)
  const endpoints = {
    ui: 'the inspector, for a browser',
    env: 'addresses and tokens, as variables that clients read',
    requests: 'what was asked, and /explain/<id> why it was answered so',
    coverage: 'every operation, and every choice that no specification makes',
    'openapi.json': 'the control plane; /openapi/<api> the others',
  }
  return [
    `${name} ${version}: a mock of these APIs, for tests; it speaks the ${dialect} dialect.`,
    '',
    ...apis,
    '',
    `The control plane is at ${origin}/_mock:`,
    '',
    ...Object.entries(endpoints).map(
      ([path, description]) => `  /_mock/${path.padEnd(12)} ${description}`,
    ),
    '',
  ].join('\n')
}
