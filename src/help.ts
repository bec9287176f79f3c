import { type Command, commands, productCommands } from './commands.ts'
import type { Flag } from './flag-kinds.ts'
import { flagList, isSwitch, variableOf } from './flags.ts'

/** Widest line of the help. */
const width = 100

/** Columns of the names of commands. */
const indent = 15

const about =
  'Every flag can also be set by its environment variable. The flag wins; an empty variable counts as not set. Switches have a --no-NAME form; their variables take 1, 0, true or false.'

/**
 * Returns what `--help` prints, without the final newline.
 *
 * @param command the one that is asked about; by default all of them
 */
export function helpText(command?: Command): string {
  return command === undefined ? helpOfAll() : helpOf(command)
}

function helpOfAll(): string {
  const described = Object.entries({ ...commands, ...productCommands })
  const usage = described.flatMap(([, each]) => each.usage)
  const list = described.map(([name, { summary }]) =>
    wrapped(`  ${name.padEnd(indent - 2)}${summary}`, indent),
  )
  const rest = [
    ...['Commands:', ...list, '', wrapped(about), ''],
    ...['Flags of a server:', ...entriesOf(undefined), ...general, ''],
    'understudy COMMAND --help lists the flags of a command.',
  ]
  return [...usageLines(usage), '', ...rest].join('\n')
}

function helpOf(command: Command): string {
  const { usage, summary } = commands[command]
  const own = entriesOf(command)
  const flags = own.length === 0 ? [] : ['', 'Flags:', ...own]
  const others = wrapped(
    `${own.length === 0 ? 'Flags' : 'Further flags'}: those of a server, as understudy --help lists them. ${about}`,
  )
  return [...usageLines(usage), '', wrapped(summary), ...flags, '', others].join('\n')
}

/** A line that continues one begins with a space. */
function usageLines(usage: readonly string[]): readonly string[] {
  return usage.map((line, at) => {
    const start = at === 0 ? 'Usage: ' : '       '
    return line.startsWith(' ') ? `       ${line}` : `${start}understudy ${line}`
  })
}

const general = [
  '  -h, --help',
  '      print this text',
  '  -v, --version',
  '      print the version',
]

/** The flags of a command; without one, those of servers. */
function entriesOf(command: Command | undefined): readonly string[] {
  return flagsOf(command).flatMap((flag) => [
    `  ${usageOf(flag)}`,
    `      ${flag.meaning}`,
    `      (${variableOf(flag)}; default: ${flag.shownDefault})`,
  ])
}

function flagsOf(command: Command | undefined): readonly Flag<unknown>[] {
  return flagList.filter(({ of }) =>
    command === undefined ? of === undefined : of?.includes(command),
  )
}

function usageOf(flag: Flag<unknown>): string {
  return isSwitch(flag) ? `--${flag.name}` : `--${flag.name} ${flag.value}`
}

/** Breaks a text into lines; those after the first are indented. */
function wrapped(text: string, columns = 0): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\S)\s/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= width) line = longer
    else {
      lines.push(line)
      line = ' '.repeat(columns) + word
    }
  }
  return [...lines, line].join('\n')
}

/** The reference's tables of flags, in Markdown, without the final newline. */
export function flagTable(): string {
  const own = Object.keys(commands).flatMap((name) => {
    const rows = flagsOf(name as Command)
    return rows.length === 0 ? [] : [`## ${name}`, '', ...tableOf(rows), '']
  })
  return ['## Server', '', ...tableOf(flagsOf(undefined)), '', ...own].join('\n').trimEnd()
}

function tableOf(rows: readonly Flag<unknown>[]): readonly string[] {
  const cell = (content: string) => content.replaceAll('|', '\\|')
  return [
    '| Flag and variable | Default | Meaning |',
    '|---|---|---|',
    ...rows.map(
      (flag) =>
        `| \`${cell(usageOf(flag))}\`<br>\`${variableOf(flag)}\` | ${cell(flag.shownDefault)} | ${cell(flag.meaning)} |`,
    ),
  ]
}
