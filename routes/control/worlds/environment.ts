/** The variables that the clients of an API's product read, and where their values come from. */
export interface ClientVariables {
  /** Get the address with its scheme. */
  readonly urls: readonly string[]
  /** Get the host with its port alone. */
  readonly hosts?: readonly string[]
  readonly tokens: readonly string[]
  /** Get the file of the authority to trust, where there is TLS. */
  readonly authorities: readonly string[]
  /** Returns the token that clients shall use. */
  token(info: object): string
}

/** Names and values, in the order in which they are written. */
export type Environment = Readonly<Record<string, string>>

/** The facts of a world that its environment tells. */
interface EnvironmentSource {
  /** Where all of it is reached. */
  readonly url: string
  readonly services: Readonly<Record<string, { readonly url: string }>>
  readonly variables: ReadonlyMap<string, ClientVariables>
  /** The file of the authority; undefined without TLS. */
  readonly caFile: string | undefined
}

/** The environment in which clients of a world find it (behaviour/program#commands). */
export function environmentOf({
  url,
  services,
  variables,
  caFile,
}: EnvironmentSource): Environment {
  const understudyVariables: [string, string][] = [
    ['UNDERSTUDY_URL', url],
    ['UNDERSTUDY_CONTROL_URL', `${url}/_mock`],
  ]
  const productVariables: [string, string][] = []
  for (const [name, info] of Object.entries(services)) {
    const known = variables.get(name)
    if (known === undefined) continue
    const { urls, hosts = [], tokens, authorities } = known
    const token = known.token(info)
    const prefix = `UNDERSTUDY_${name.toUpperCase()}`
    understudyVariables.push([`${prefix}_URL`, info.url], [`${prefix}_TOKEN`, token])
    for (const each of urls) productVariables.push([each, info.url])
    for (const each of hosts) productVariables.push([each, new URL(info.url).host])
    for (const each of tokens) productVariables.push([each, token])
    if (caFile !== undefined) for (const each of authorities) productVariables.push([each, caFile])
  }
  return Object.fromEntries([...understudyVariables, ...productVariables])
}

/** The forms in which an environment can be written. */
export const environmentFormats = ['sh', 'dotenv', 'json', 'github'] as const
export type EnvironmentFormat = (typeof environmentFormats)[number]

/** Writes an environment: `sh` to be evaluated, `dotenv` as a file, `github` for `$GITHUB_ENV`. */
export function writeEnvironment(environment: Environment, format: EnvironmentFormat): string {
  if (format === 'json') return `${JSON.stringify(environment, null, 2)}\n`
  const write = writers[format]
  return Object.entries(environment)
    .map(([name, value]) => `${write(name, value)}\n`)
    .join('')
}

const writers = {
  sh: (name: string, value: string) => `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  dotenv: (name: string, value: string) => `${name}=${quote(value)}`,
  // Values are what a line can hold: addresses, tokens and files.
  github: (name: string, value: string) => `${name}=${value}`,
} as const

/** As readers of such files take it: they know three quotes and no way to escape them. */
function quote(value: string): string {
  if (/^[\w./:@%+,=~[\]-]*$/.test(value)) return value
  const quote = ["'", '"', '`'].find((mark) => !value.includes(mark)) ?? "'"
  return quote + value + quote
}
