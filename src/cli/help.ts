import { type Command, commands, productCommands } from './commands.ts'
import type { Flag } from './flags/flag-types.ts'
import { flagList, isSwitch, variableOf } from './flags/flags.ts'

/** Maximum width of the help, in columns. */
const width = 100

/** Width of the column with names of commands. */
const nameWidth = 15

const variablesNote =
  'Every flag can also be set by its environment variable. The flag takes precedence; an empty variable counts as unset. Switches have a --no-NAME form; their variables take 1, 0, true or false.'

/**
 * Returns the text of `--help`, without the final newline.
 *
 * @param command command to describe; all commands if undefined
 */
export function helpText(command?: Command): string {
  return command === undefined ? generalHelp() : commandHelp(command)
}

function generalHelp(): string {
  const allCommands = Object.entries({ ...commands, ...productCommands })
  const usage = allCommands.flatMap(([, each]) => each.usage)
  const list = allCommands.map(([name, { summary }]) =>
    wrapText(`  ${name.padEnd(nameWidth - 2)}${summary}`, nameWidth),
  )
  const rest = [
    ...['Commands:', ...list, '', wrapText(variablesNote), ''],
    ...['Flags of a server:', ...flagEntries(undefined), ...generalFlags, ''],
    'understudy COMMAND --help lists the flags of a command.',
  ]
  return [...usageLines(usage), '', ...rest].join('\n')
}

function commandHelp(command: Command): string {
  const { usage, summary } = commands[command]
  const entries = flagEntries(command)
  const flags = entries.length === 0 ? [] : ['', 'Flags:', ...entries]
  const others = wrapText(
    `${entries.length === 0 ? 'Flags' : 'Further flags'}: the flags of a server; understudy --help lists them. ${variablesNote}`,
  )
  return [...usageLines(usage), '', wrapText(summary), ...flags, '', others].join('\n')
}

/** Returns the lines of usage. An item that begins with a space continues the previous line. */
function usageLines(usage: readonly string[]): readonly string[] {
  return usage.map((line, at) => {
    const start = at === 0 ? 'Usage: ' : '       '
    return line.startsWith(' ') ? `       ${line}` : `${start}understudy ${line}`
  })
}

const generalFlags = [
  '  -h, --help',
  '      print this text',
  '  -v, --version',
  '      print the version',
]

/**
 * Returns the help lines for the flags of a command; if the command is undefined, for the flags of
 * the server.
 */
function flagEntries(command: Command | undefined): readonly string[] {
  return flagsOf(command).flatMap((flag) => [
    `  ${usageOf(flag)}`,
    `      ${flag.meaning}`,
    `      (${variableOf(flag)}; default: ${flag.defaultText})`,
  ])
}

function flagsOf(command: Command | undefined): readonly Flag<unknown>[] {
  return flagList.filter((flag) =>
    command === undefined ? flag.commands === undefined : flag.commands?.includes(command),
  )
}

function usageOf(flag: Flag<unknown>): string {
  return isSwitch(flag) ? `--${flag.name}` : `--${flag.name} ${flag.valueName}`
}

/** Wraps a text at the maximum width; lines after the first are indented by `columns`. */
function wrapText(text: string, columns = 0): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\S)\s/)) {
    const extendedLine = line === '' ? word : `${line} ${word}`
    if (extendedLine.length <= width) line = extendedLine
    else {
      lines.push(line)
      line = ' '.repeat(columns) + word
    }
  }
  return [...lines, line].join('\n')
}

/** Returns the tables of docs/reference/flags.md in Markdown, without the final newline. */
export function flagTable(): string {
  const commandTables = Object.keys(commands).flatMap((name) => {
    const rows = flagsOf(name as Command)
    return rows.length === 0 ? [] : [`## ${name}`, '', ...markdownTable(rows), '']
  })
  return ['## Server', '', ...markdownTable(flagsOf(undefined)), '', ...commandTables]
    .join('\n')
    .trimEnd()
}

function markdownTable(rows: readonly Flag<unknown>[]): readonly string[] {
  const cell = (content: string) => content.replaceAll('|', '\\|')
  return [
    '| Flag and variable | Default | Meaning |',
    '|---|---|---|',
    ...rows.map(
      (flag) =>
        `| \`${cell(usageOf(flag))}\`<br>\`${variableOf(flag)}\` | ${cell(flag.defaultText)} | ${cell(flag.meaning)} |`,
    ),
  ]
}
