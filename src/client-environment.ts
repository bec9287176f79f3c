import type { Environment } from '../routes/control/worlds/environment.ts'
import { clientVariables } from './client-variables.ts'

/** Environment of a process; a name without a value is not set. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/** Environment of a process that reaches one world and no other server. */
interface IsolatedEnvironment {
  readonly env: ProcessEnvironment
  /** Names of the caller's variables that the process does not get, in alphabetical order. */
  readonly hidden: readonly string[]
}

/**
 * Returns the caller's environment with the variables of a world, and with `NO_PROXY` entries for
 * the world. Every other variable that the products' clients might read is left out, because such a
 * variable could send requests, or a real token, to another server (behaviour/program#commands).
 */
export function isolatedEnvironment(
  caller: ProcessEnvironment,
  environment: Environment,
): IsolatedEnvironment {
  const hidden = hiddenNames(caller, environment)
  const env: Record<string, string | undefined> = {
    ...caller,
    ...environment,
    ...proxyExceptions(caller, environment),
  }
  for (const name of hidden) delete env[name]
  return { env, hidden }
}

/**
 * Returns the variables that programs add to their own environment in order to reach a world and no
 * other server. The caller's variables that might lead to another server have empty values, which
 * clients treat like unset variables.
 */
export function additionalVariables(
  caller: ProcessEnvironment,
  environment: Environment,
): Environment {
  const hidden = hiddenNames(caller, environment).map((name) => [name, ''])
  const isProxied = Object.keys(caller).some((name) => /_proxy$/i.test(name))
  return {
    ...environment,
    ...(isProxied ? proxyExceptions(caller, environment) : {}),
    ...Object.fromEntries(hidden),
  }
}

/** Returns the line that names the hidden variables; undefined if none is hidden. */
export function hiddenVariablesLine({ hidden }: IsolatedEnvironment): string | undefined {
  if (hidden.length === 0) return undefined
  return `understudy: variables hidden from the command, because clients might read them: ${hidden.join(', ')}\n`
}

/**
 * Returns the documented names of variables that choose a server, an identity, a namespace, a
 * certificate or a proxy, without those that the world sets.
 */
export function documentedNames(environment: Environment): readonly string[] {
  return Object.values(clientVariables)
    .flatMap(({ unset }) => unset)
    .filter((name) => !(name in environment))
}

/** Returns the caller's variables that clients might read, without those that the world sets. */
export function hiddenNames(
  caller: ProcessEnvironment,
  environment: Environment,
): readonly string[] {
  const clients = Object.values(clientVariables)
  const beginsWithAny = (name: string, prefixes: readonly string[] = []) =>
    prefixes.some((prefix) => name.toUpperCase().startsWith(prefix))
  return Object.keys(caller)
    .filter((name) => !(name in environment))
    .filter((name) =>
      clients.some(
        ({ prefixes, harmless }) => beginsWithAny(name, prefixes) && !beginsWithAny(name, harmless),
      ),
    )
    .sort()
}

/**
 * Addresses of this machine. A proxy would look for servers with these addresses on its own
 * machine.
 */
const loopback = ['localhost', '127.0.0.1', '::1'] as const

/** Returns the variables that keep the requests for a world from going through a proxy. */
export function proxyExceptions(caller: ProcessEnvironment, environment: Environment): Environment {
  const { hostname } = new URL(environment['UNDERSTUDY_URL'] ?? 'http://localhost')
  const exemptHosts = new Set<string>([...loopback, hostname.replace(/^\[(.*)\]$/, '$1')])
  const exceptionsFor = (name: string) => {
    const listedHosts = (caller[name] ?? '')
      .split(',')
      .map((host) => host.trim())
      .filter((host) => host !== '')
    return listedHosts.includes('*')
      ? '*'
      : [...new Set([...listedHosts, ...exemptHosts])].join(',')
  }
  // Some clients read the name in capitals first, other clients the name in lower case.
  return { NO_PROXY: exceptionsFor('NO_PROXY'), no_proxy: exceptionsFor('no_proxy') }
}
