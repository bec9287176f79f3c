import { mask } from './secret.ts'

/** Returns the code snippets that connect clients to a world, each with the client's name. */
export function clientSnippets(
  env: Readonly<Record<string, string>>,
): readonly (readonly [client: string, text: string])[] {
  const value = (name: string) => env[name] ?? ''
  const exportLines = (...names: readonly string[]) =>
    names.map((name) => `export ${name}=${quoteShell(value(name))}`).join('\n')
  return [
    ['vault', `${exportLines('VAULT_ADDR', 'VAULT_TOKEN')}\nvault status`],
    ['consul', `${exportLines('CONSUL_HTTP_ADDR', 'CONSUL_HTTP_TOKEN')}\nconsul namespace list`],
    ['nomad', `${exportLines('NOMAD_ADDR', 'NOMAD_TOKEN')}\nnomad job status`],
    [
      'curl',
      `curl -H 'Authorization: Bearer ${value('TFE_TOKEN')}' ${value('TFE_ADDRESS')}/api/v2/account/details`,
    ],
    [
      'JavaScript',
      [
        "import vault from 'node-vault'",
        `const client = vault({ endpoint: '${value('VAULT_ADDR')}', token: '${value('VAULT_TOKEN')}' })`,
        "await client.write('secret/data/app', { data: { user: 'ada' } })",
      ].join('\n'),
    ],
    [
      'Python',
      [
        'import hvac',
        `client = hvac.Client(url='${value('VAULT_ADDR')}', token='${value('VAULT_TOKEN')}')`,
        "client.secrets.kv.v2.create_or_update_secret('app', secret={'user': 'ada'})",
      ].join('\n'),
    ],
    [
      'Go',
      [
        'client, err := api.NewClient(&api.Config{',
        `    Address: "${value('VAULT_ADDR')}",`,
        '})',
        `client.SetToken("${value('VAULT_TOKEN')}")`,
      ].join('\n'),
    ],
  ]
}

function quoteShell(text: string): string {
  return /^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Returns a text with dots in place of the value of every variable in `env` whose name ends in
 * `_TOKEN`.
 */
export function maskTokens(text: string, env: Readonly<Record<string, string>>): string {
  const tokens = Object.entries(env)
    .filter(([name, value]) => name.endsWith('_TOKEN') && value !== '')
    .map(([, value]) => value)
  tokens.sort((a, b) => b.length - a.length)
  return tokens.reduce(
    (hidden, token) =>
      hidden.replaceAll(new RegExp(`(?<=[=' "])${escapeRegExp(token)}(?=['"\\s]|$)`, 'g'), mask),
    text,
  )
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Inserts a path after an origin in every address of a text, for a proxy that strips this path. */
export function rebaseOrigin(text: string, origin: string, path: string): string {
  return text.replaceAll(new RegExp(`${escapeRegExp(origin)}(?![\\w.:])`, 'g'), origin + path)
}
