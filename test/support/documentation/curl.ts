import { parseArgs } from 'node:util'

/**
 * Returns the commands of a shell block; a line that ends with a backslash continues on the next
 * one.
 */
export function commandsOf(block: string): readonly string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

/**
 * Splits a command into words: removes quotes, and replaces `$UNDERSTUDY` outside single quotes.
 */
function wordsOf(command: string, origin: string): readonly string[] {
  const parts = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"]+)+/g) ?? []
  return parts.map((part) =>
    part.replaceAll(
      /'([^']*)'|"([^"]*)"|[^'"]+/g,
      (unquoted, single?: string, double?: string) =>
        single ?? (double ?? unquoted).replaceAll('$UNDERSTUDY', origin),
    ),
  )
}

/**
 * Emulates curl, with the few options that the README uses, for machines without curl. Throws for
 * any other command or option, and if the command does not have exactly one URL.
 *
 * @returns the body that curl would print; empty with `-o /dev/null`
 */
export async function curl(command: string, origin: string): Promise<string> {
  const [name, ...args] = wordsOf(command, origin)
  if (name !== 'curl') throw new Error(`the README's examples can only run curl, not: ${command}`)
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
      output: { type: 'string', short: 'o' },
    },
  })
  const [url, surplus] = positionals
  if (url === undefined || surplus !== undefined) throw new Error(`not one URL: ${command}`)
  const headers = new Headers()
  if (values.data !== undefined) headers.set('content-type', 'application/x-www-form-urlencoded')
  for (const header of values.header ?? []) {
    const colon = header.indexOf(':')
    headers.set(header.slice(0, colon), header.slice(colon + 1).trim())
  }
  const reply = await fetch(url, {
    method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
    headers,
    ...(values.data === undefined ? {} : { body: values.data }),
  })
  const body = await reply.text()
  return values.output === '/dev/null' ? '' : body
}
