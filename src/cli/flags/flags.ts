import { type ApiName, apiNames } from '../../api-names.ts'
import { commandFlags } from './command-flags.ts'
import {
  choice,
  clock,
  extraPort,
  type Flag,
  host,
  hostList,
  port,
  text,
  toggle,
  token,
} from './flag-types.ts'

type ApiPortName = `${ApiName}Port`

/** Names of the settings that open a listener for one API, such as `meshPort`. */
export const apiPortNames = apiNames.map((name) => `${name}Port` as const)

// The type is safe because the keys are generated from `apiNames`.
const apiPorts = Object.fromEntries(
  apiNames.map((name) => [
    `${name}Port`,
    extraPort({
      name: `${name}-port`,
      meaning: `port of an additional listener for the ${name} API only`,
    }),
  ]),
) as Readonly<Record<ApiPortName, Flag<number | undefined>>>

/**
 * Settings of the command (behaviour/program#command). Parsing, environment variables, `--help` and
 * docs/reference/flags.md are generated from these settings, in the order of the help.
 */
export const flags = {
  host: host({
    name: 'host',
    defaultValue: '127.0.0.1',
    meaning: 'address to listen on; 0.0.0.0 in the container image',
  }),
  port: port({
    name: 'port',
    defaultValue: 4600,
    meaning: 'port of the combined listener for all APIs; 0 picks a free one',
  }),
  ...apiPorts,
  rootToken: token({
    name: 'root-token',
    defaultValue: 'root',
    meaning: 'root token of the secrets service',
  }),
  vendor: toggle({
    name: 'vendor',
    defaultValue: false,
    meaning: 'the vendor dialect on the usual ports: secrets 8200, mesh 8500, scheduler 4646',
  }),
  dialect: choice({
    name: 'dialect',
    words: ['neutral', 'vendor'],
    defaultValue: 'neutral',
    meaning: 'spelling of headers, paths and fields: product-neutral, or as in the products',
  }),
  seed: text({
    name: 'seed',
    valueName: 'TEXT',
    defaultText: 'random',
    meaning: 'make ids, tokens and key shares reproducible',
  }),
  clock: clock({
    name: 'clock',
    meaning: 'real time, frozen (optionally at TIME), or RATE times as fast',
  }),
  worlds: choice({
    name: 'worlds',
    words: ['off', 'auto'],
    defaultValue: 'off',
    meaning: 'auto: create a world when a path prefix or header first names it',
  }),
  defaultWorld: choice({
    name: 'default-world',
    words: ['on', 'off'],
    defaultValue: 'on',
    meaning: 'off: refuse API requests that name no world, so that a missing prefix fails',
  }),
  fixtures: text({
    name: 'fixtures',
    valueName: 'FILE',
    defaultText: 'none',
    meaning:
      'initial state, JSON or YAML; - reads standard input; the variable may also hold the document',
  }),
  options: text({
    name: 'options',
    valueName: 'JSON',
    defaultText: 'none',
    meaning: 'world options, grouped by API; options in the fixtures override them',
  }),
  tls: toggle({
    name: 'tls',
    defaultValue: undefined,
    meaning: 'serve HTTPS with a generated CA and certificate; any other TLS flag implies it',
  }),
  tlsDir: text({
    name: 'tls-dir',
    valueName: 'DIR',
    defaultText: 'a new temporary directory',
    meaning: 'directory for ca.pem, cert.pem and key.pem, which are reused while valid',
  }),
  tlsCert: text({
    name: 'tls-cert',
    valueName: 'FILE',
    defaultText: 'none',
    meaning: 'certificate (chain) to serve instead of a generated one; needs --tls-key',
  }),
  tlsKey: text({
    name: 'tls-key',
    valueName: 'FILE',
    defaultText: 'none',
    meaning: 'private key of --tls-cert',
  }),
  acl: toggle({
    name: 'acl',
    defaultValue: false,
    meaning: 'enforce ACLs in mesh and scheduler (secrets and platform always do)',
  }),
  rateLimit: toggle({
    name: 'rate-limit',
    defaultValue: false,
    meaning: 'refuse requests above the platform setting api-rate-limit',
  }),
  allowedHosts: hostList({
    name: 'allowed-hosts',
    meaning: 'additional host names accepted on /_mock',
  }),
  controlToken: token({
    name: 'control-token',
    defaultValue: undefined,
    meaning: 'require this bearer token on /_mock',
  }),
  allowShutdown: toggle({
    name: 'allow-shutdown',
    defaultValue: false,
    meaning: 'allow POST /_mock/shutdown to end the process',
  }),
  logLevel: choice({
    name: 'log-level',
    words: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    defaultValue: 'info',
    meaning: 'lowest level logged to standard error',
  }),
  logFormat: choice({
    name: 'log-format',
    words: ['pretty', 'json'],
    defaultValue: undefined,
    defaultText: 'pretty on a terminal, else json',
    meaning: 'format of the log',
  }),
  logRequests: choice({
    name: 'log-requests',
    words: ['none', 'refused', 'all'],
    defaultValue: 'refused',
    meaning: 'which requests are logged; refused ones with the reason',
  }),
  readyFile: text({
    name: 'ready-file',
    valueName: 'FILE',
    defaultText: 'none',
    meaning: 'write the JSON of /_mock/info to this file once everything listens',
  }),
  tokenFile: text({
    name: 'token-file',
    valueName: 'FILE',
    defaultText: 'none; ~/.vault-token in the container image',
    meaning: "write the secrets API's root token to this file, which the products' clients read",
  }),
  endWithParent: toggle({
    name: 'end-with-parent',
    defaultValue: undefined,
    meaning: 'exit when the parent process exits; on if npm or npx is the parent',
  }),
  dropIn: toggle({
    name: 'drop-in',
    defaultValue: false,
    meaning: "read the variables of the products' development images; on in the container image",
  }),
  ...commandFlags,
} satisfies Record<string, Flag<unknown>>

/** All flags, in the order of the help. */
export const flagList: readonly Flag<unknown>[] = Object.values(flags)

/** Returns true if a flag takes no value on the command line. */
export function isSwitch(flag: Flag<unknown>): boolean {
  return flag.valueName === undefined
}

/** Returns the name of a flag's environment variable. */
export function variableOf(flag: Flag<unknown>): string {
  return `UNDERSTUDY_${flag.name.toUpperCase().replaceAll('-', '_')}`
}
