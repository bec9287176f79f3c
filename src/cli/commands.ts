/** Command as `--help` shows it. */
interface CommandHelp {
  /**
   * Lines below `Usage:`, without the leading `understudy`; a line that begins with a space
   * continues the previous one.
   */
  readonly usage: readonly string[]
  readonly summary: string
}

/** All commands, in the order of the help. */
export const commands = {
  start: {
    usage: ['[start] [flags]'],
    summary: 'Start a server; print one line when it is ready. This is the default.',
  },
  exec: {
    usage: ['exec [flags] [--write-env FILE] [--trace FILE] -- COMMAND ARGS...'],
    summary:
      'Start a server on free ports, run a command against it and exit with its code. Speaks the vendor dialect by default.',
  },
  env: {
    usage: ['env [--url URL] [--world ID] [--format FORMAT]'],
    summary:
      'Print the variables (VAULT_ADDR, NOMAD_TOKEN, ...) for a running server or one of its worlds.',
  },
  validate: {
    usage: ['validate [flags] FILE...'],
    summary: 'Check fixture files; print one line per mistake. Exit code 1 if there are any.',
  },
  rehearse: {
    usage: [
      'rehearse [flags] [--presets NAME,...] [--report DIR] [--fail-under PERCENT]',
      '                    -- COMMAND ARGS...',
    ],
    summary:
      'Run a command once without faults, then once per failure preset, each time in a fresh world; print which failures it survived. Exit code 1 if too few.',
  },
  compare: {
    usage: [
      'compare --against URL [--token TOKEN] [--service secrets|scheduler]',
      '                   [--sequences N] [--seed TEXT] [--report DIR] [--yes]',
    ],
    summary:
      'Send the same requests to a mock and to a real server; print each difference with the fewest requests that show it. Exit code 1 for unknown differences.',
  },
  capture: {
    usage: ['capture --from URL --service secrets|scheduler|mesh [--token TOKEN] [--values]'],
    summary:
      'Read a real server; print fixtures (YAML) with its mounts, policies, key names, namespaces and jobs.',
  },
  trace: {
    usage: ['trace summary FILE [--github]', 'trace json FILE [--at REQUEST [--world ID]]'],
    summary:
      'Read a trace: print a summary (Markdown), its data (JSON), or the state right after a request.',
  },
  healthcheck: {
    usage: ['healthcheck [flags]'],
    summary: 'Check the server that the same flags would start. Exit code 0 or 1.',
  },
} as const satisfies Record<string, CommandHelp>

export type Command = keyof typeof commands

/**
 * Commands that imitate the products' own commands. `parseDropIn` parses `server` and `agent`,
 * `runAs` parses `as`.
 */
export const productCommands: Readonly<Record<string, CommandHelp>> = {
  server: {
    usage: ['server -dev [flags of vault server]', 'agent -dev [flags of consul or nomad agent]'],
    summary: "Start a server the way the products' own images do: vendor dialect, usual ports.",
  },
  as: {
    usage: ['as vault|consul|nomad ARGS...'],
    summary: "Run one of the products' common set-up commands, such as `as vault kv put`.",
  },
}
