import { environmentFormats } from '../routes/control/environment.ts'
import { type ApiName, apiNames } from './api-names.ts'
import {
  choice,
  clock,
  count,
  duration,
  extraPort,
  type Flag,
  host,
  hostList,
  nameList,
  percent,
  port,
  text,
  toggle,
  token,
} from './flag-kinds.ts'

type ApiPortName = `${ApiName}Port`

/** The settings that open a listener for one API: `meshPort`. */
export const apiPortNames = apiNames.map((name) => `${name}Port` as const)

// Each name is there: that is what the keys are made from.
const apiPorts = Object.fromEntries(
  apiNames.map((name) => [
    `${name}Port`,
    extraPort({
      name: `${name}-port`,
      meaning: `a further listener with the ${name} API alone`,
    }),
  ]),
) as Readonly<Record<ApiPortName, Flag<number | undefined>>>

/**
 * Every setting of the command (behaviour/program#command), declared once: parsing, the environment twins,
 * `--help` and the reference's table are made from it. The order is that of the help.
 */
export const flags = {
  host: host({
    name: 'host',
    absent: '127.0.0.1',
    meaning: 'address the listeners bind to; the container image says 0.0.0.0',
  }),
  port: port({
    name: 'port',
    absent: 4600,
    meaning: 'port of the combined listener, which serves all four APIs; 0 = any free one',
  }),
  ...apiPorts,
  rootToken: token({
    name: 'root-token',
    absent: 'root',
    meaning: 'root token of the secrets service',
  }),
  vendor: toggle({
    name: 'vendor',
    absent: false,
    meaning: "dialect vendor on the vendors' ports: secrets 8200, mesh 8500, scheduler 4646",
  }),
  dialect: choice({
    name: 'dialect',
    words: ['neutral', 'vendor'],
    absent: 'neutral',
    meaning: "spelling of headers, paths and fields: the specification's or the vendors'",
  }),
  seed: text({
    name: 'seed',
    value: 'TEXT',
    shownDefault: 'random',
    meaning: 'makes ids, tokens and shares reproducible',
  }),
  clock: clock({
    name: 'clock',
    meaning: 'time as it is, standing still (at a time), or running RATE times as fast',
  }),
  worlds: choice({
    name: 'worlds',
    words: ['off', 'auto'],
    absent: 'off',
    meaning: 'auto: a world that a path prefix or a header names is made on first touch',
  }),
  defaultWorld: choice({
    name: 'default-world',
    words: ['on', 'off'],
    absent: 'on',
    meaning: 'off: API requests that name no world are refused, so that a lost prefix fails',
  }),
  fixtures: text({
    name: 'fixtures',
    value: 'FILE',
    shownDefault: 'none',
    meaning:
      'initial state, JSON or YAML; - reads standard input; the variable may hold the document itself',
  }),
  options: text({
    name: 'options',
    value: 'JSON',
    shownDefault: 'none',
    meaning: "world options, grouped by API; they come before the fixtures' own",
  }),
  tls: toggle({
    name: 'tls',
    absent: undefined,
    meaning: 'serve HTTPS with an own CA and certificate; any other TLS flag turns it on too',
  }),
  tlsDir: text({
    name: 'tls-dir',
    value: 'DIR',
    shownDefault: 'a fresh temporary one',
    meaning: 'where ca.pem, cert.pem and key.pem are written, and reused while valid',
  }),
  tlsCert: text({
    name: 'tls-cert',
    value: 'FILE',
    shownDefault: 'none',
    meaning: 'certificate (chain) to serve instead of an own one; needs --tls-key',
  }),
  tlsKey: text({
    name: 'tls-key',
    value: 'FILE',
    shownDefault: 'none',
    meaning: 'private key of --tls-cert',
  }),
  acl: toggle({
    name: 'acl',
    absent: false,
    meaning: 'enforce ACLs of mesh and scheduler (secrets and platform always do)',
  }),
  rateLimit: toggle({
    name: 'rate-limit',
    absent: false,
    meaning: 'refuse requests above the platform setting api-rate-limit',
  }),
  allowedHosts: hostList({
    name: 'allowed-hosts',
    meaning: 'further host names accepted on /_mock',
  }),
  controlToken: token({
    name: 'control-token',
    absent: undefined,
    meaning: 'bearer token that /_mock then requires',
  }),
  allowShutdown: toggle({
    name: 'allow-shutdown',
    absent: false,
    meaning: 'let POST /_mock/shutdown end the process',
  }),
  logLevel: choice({
    name: 'log-level',
    words: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    absent: 'info',
    meaning: 'least severe line logged on standard error',
  }),
  logFormat: choice({
    name: 'log-format',
    words: ['pretty', 'json'],
    absent: undefined,
    shownDefault: 'pretty on a terminal, else json',
    meaning: 'form of the log lines',
  }),
  logRequests: choice({
    name: 'log-requests',
    words: ['none', 'refused', 'all'],
    absent: 'refused',
    meaning: 'which requests get a line on the log; refused ones with the reason',
  }),
  readyFile: text({
    name: 'ready-file',
    value: 'FILE',
    shownDefault: 'none',
    meaning: 'gets the JSON of /_mock/info once everything listens',
  }),
  endWithParent: toggle({
    name: 'end-with-parent',
    absent: undefined,
    meaning: 'end when the process that started it has ended; on where npm or npx did',
  }),
  dropIn: toggle({
    name: 'drop-in',
    absent: false,
    meaning: "take the variables of the products' development images; the container image says on",
  }),
  writeEnv: text({
    name: 'write-env',
    value: 'FILE',
    shownDefault: 'none',
    meaning: 'of exec: gets the variables as dotenv before the command starts',
  }),
  url: text({
    name: 'url',
    value: 'URL',
    shownDefault: 'what host and port say',
    meaning: 'of env: the running server, a prefix of a world included',
  }),
  world: text({
    name: 'world',
    value: 'ID',
    shownDefault: 'that of the URL',
    meaning: 'of env: the world',
  }),
  format: choice({
    name: 'format',
    words: environmentFormats,
    absent: 'sh',
    meaning: 'of env: how the variables are written',
  }),
  presets: nameList({
    name: 'presets',
    shownDefault: 'all',
    meaning: 'of rehearse: the failures to rehearse',
  }),
  report: text({
    name: 'report',
    value: 'DIR',
    shownDefault: 'none',
    meaning: 'of rehearse and compare: gets rehearsal or comparison as .md, .xml (JUnit) and .json',
  }),
  failUnder: percent({
    name: 'fail-under',
    absent: 100,
    meaning: 'of rehearse: exit code 1 when the command survives fewer percent of the failures',
  }),
  timeLimit: duration({
    name: 'time-limit',
    usual: '5m',
    meaning: 'of rehearse: a run that takes longer is ended, and counts as failed',
  }),
  from: text({
    name: 'from',
    value: 'URL',
    shownDefault: 'none',
    meaning: 'of capture: the address of a real server',
  }),
  token: token({
    name: 'token',
    absent: undefined,
    meaning: 'of capture and compare: a token of that server',
  }),
  service: choice({
    name: 'service',
    words: ['secrets', 'scheduler', 'mesh'],
    absent: undefined,
    shownDefault: 'none',
    meaning: 'of capture and compare: which API that server has; of compare secrets unless given',
  }),
  values: toggle({
    name: 'values',
    absent: false,
    meaning: 'of capture: write the values of secrets and keys too, not placeholders',
  }),
  against: text({
    name: 'against',
    value: 'URL',
    shownDefault: 'none',
    meaning: 'of compare: the address of a real server',
  }),
  sequences: count({
    name: 'sequences',
    absent: 200,
    meaning: 'of compare: how many sequences of requests are tried',
  }),
  yes: toggle({
    name: 'yes',
    absent: false,
    meaning: 'of compare: the server may be on another machine',
  }),
} satisfies Record<string, Flag<unknown>>

/** The settings of the table in its order. */
export const flagList: readonly Flag<unknown>[] = Object.values(flags)

/** A switch takes no value on the command line. */
export function isSwitch(flag: Flag<unknown>): boolean {
  return flag.value === undefined
}

/** Name of a flag's environment twin. */
export function variableOf(flag: Flag<unknown>): string {
  return `UNDERSTUDY_${flag.name.toUpperCase().replaceAll('-', '_')}`
}

function usageOf(flag: Flag<unknown>): string {
  return isSwitch(flag) ? `--${flag.name}` : `--${flag.name} ${flag.value}`
}

/** Returns what `--help` prints, without the final newline. */
export function helpText(): string {
  const entries = flagList.map(
    (flag) =>
      `  ${usageOf(flag)}\n` +
      `      ${flag.meaning}\n` +
      `      (${variableOf(flag)}; default: ${flag.shownDefault})`,
  )
  return `Usage: understudy [start] [flags]
       understudy server -dev | agent -dev [flags of Vault, Consul or Nomad]
       understudy as vault|consul|nomad ARGS...
       understudy exec [flags] [--write-env FILE] -- COMMAND ARGS...
       understudy rehearse [flags] [--presets NAME,...] [--report DIR] [--fail-under PERCENT]
                           -- COMMAND ARGS...
       understudy validate [flags] FILE...
       understudy capture --from URL --service secrets|scheduler|mesh [--token TOKEN] [--values]
       understudy compare --against URL [--token TOKEN] [--service secrets|scheduler]
                          [--sequences N] [--seed TEXT] [--report DIR] [--yes]
       understudy healthcheck [flags]
       understudy env [--url URL] [--world ID] [--format FORMAT]

Commands:
  start        start a server; prints one line when it is ready (the default)
  server       as vault server -dev, agent as consul agent -dev and nomad agent -dev: dialect
               vendor on the products' ports
  as           play a few commands of vault, consul and nomad that set a server up
  exec         run a command against a server of its own on free ports, and end with its exit code;
               speaks the vendor dialect unless told otherwise
  rehearse     run a command once undisturbed, then once with each failure in a world of its own;
               prints which it survived, exit code 1 when that are too few
  validate     check files of fixtures as a start would; one line for each mistake, exit code 0 or 1
  capture      write fixtures, as YAML, of what a real server has: mounts, policies, names of keys,
               namespaces and jobs
  compare      ask a server of its own and a real one the same, and print where they differ, with
               the fewest requests that show it; exit code 1 for differences that are not known
  healthcheck  ask the server that the same flags would start; exit code 0 or 1
  env          print the variables in which clients find a running server or one of its worlds

Flags. Each has an environment variable as a twin; the flag wins, and an empty variable counts as
not set. Switches also take the form --no-NAME, and 1, 0, true or false in the variable.

${entries.join('\n')}
  -h, --help
      this text
  -v, --version
      the version
`.trimEnd()
}

/** The reference's table of flags, in Markdown, without the final newline. */
export function flagTable(): string {
  const cell = (content: string) => content.replaceAll('|', '\\|')
  const rows = flagList.map(
    (flag) =>
      `| \`${cell(usageOf(flag))}\` | \`${variableOf(flag)}\` | ${cell(flag.shownDefault)} | ${cell(flag.meaning)} |`,
  )
  return ['| Flag | Variable | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}
