/**
 * The environment variables that clients of an API's product read, and the sources of their values.
 */
export interface ClientVariables {
  /** Names of the variables for the address including its scheme. */
  readonly urls: readonly string[]
  /** Names of the variables for the host and the port only. */
  readonly hosts?: readonly string[]
  readonly tokens: readonly string[]
  /**
   * Names of the variables for the file of the certificate authority, which are set if TLS is used.
   */
  readonly authorities: readonly string[]
  /** Prefixes of the names of all variables that the clients may read. */
  readonly prefixes: readonly string[]
  /** Prefixes of variables that match `prefixes` but choose neither server nor identity. */
  readonly harmless?: readonly string[]
  /**
   * Documented variables that select a server, an identity, a namespace, a certificate or a proxy.
   * `understudy env` unsets those that the environment of a world does not set.
   */
  readonly unset: readonly string[]
  token(info: object): string
}

/** Names and values of variables, in the order of the output. */
export type Environment = Readonly<Record<string, string>>

/** The data from which the environment of a world is made. */
interface EnvironmentSource {
  /** URL below which all APIs and the control plane of the world are served. */
  readonly url: string
  readonly services: Readonly<Record<string, { readonly url: string }>>
  readonly variables: ReadonlyMap<string, ClientVariables>
  /** File of the certificate authority; undefined without TLS. */
  readonly caFile: string | undefined
}

/**
 * Returns the environment variables with which clients find a world (behaviour/program#commands).
 */
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

export const environmentFormats = ['sh', 'dotenv', 'json', 'github'] as const
export type EnvironmentFormat = (typeof environmentFormats)[number]

/**
 * Formats an environment: `sh` for evaluation by a shell, `dotenv` as a file, `github` for
 * `$GITHUB_ENV`, `json` as an object.
 *
 * @param unset names of variables that must not be set: the shell unsets them, files give them
 *   empty values, and JSON contains null
 */
export function writeEnvironment(
  environment: Environment,
  format: EnvironmentFormat,
  unset: readonly string[] = [],
): string {
  if (format === 'json') {
    const nulls = Object.fromEntries(unset.map((name) => [name, null]))
    return `${JSON.stringify({ ...environment, ...nulls }, null, 2)}\n`
  }
  const write = writers[format]
  const lines = Object.entries(environment).map(([name, value]) => write(name, value))
  const unsetLines = unset.map((name) => (format === 'sh' ? `unset ${name}` : `${name}=`))
  return [...lines, ...unsetLines].map((line) => `${line}\n`).join('')
}

const writers = {
  sh: (name: string, value: string) => `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  dotenv: (name: string, value: string) => `${name}=${quote(value)}`,
  // Values are addresses, tokens and file names without line breaks. The syntax for values of
  // several lines is therefore not needed.
  github: (name: string, value: string) => `${name}=${value}`,
} as const

/**
 * Quotes a value for dotenv files. Parsers of these files accept three kinds of quotes but no
 * escapes.
 */
function quote(value: string): string {
  if (/^[\w./:@%+,=~[\]-]*$/.test(value)) return value
  const quotationMark = ["'", '"', '`'].find((mark) => !value.includes(mark)) ?? "'"
  return quotationMark + value + quotationMark
}
