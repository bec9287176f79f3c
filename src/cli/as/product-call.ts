import { readFileSync } from 'node:fs'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { reasonOf } from '../../config-error.ts'

/** What a command of a product's is called with. */
export interface ProductCall {
  /** Behind the command's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of standard input. */
  stdin(): string
}

/** A call that comes to nothing; the message is one line. */
export class CommandFailure extends Error {
  readonly code: number

  constructor(message: string, code = 1) {
    super(message)
    this.name = 'CommandFailure'
    this.code = code
  }
}

/** The words of a call, and its flags, which stand before them. */
export interface ParsedArguments {
  readonly positionals: readonly string[]
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/**
 * Takes a call apart as Go's flags are: `-name value`, `-name=value`, one dash or two, until the first
 * word that is none.
 *
 * @param switches flags without a value
 */
export function parseArguments(
  argv: readonly string[],
  switches: readonly string[] = [],
): ParsedArguments {
  const flags = new Map<string, string[]>()
  let at = 0
  for (; at < argv.length; at += 1) {
    const [, name = '', inline] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(argv[at] ?? '') ?? []
    if (name === '') break
    if (inline === undefined && !switches.includes(name)) at += 1
    const value = inline ?? (switches.includes(name) ? 'true' : (argv[at] ?? ''))
    flags.set(name, [...(flags.get(name) ?? []), value])
  }
  return { positionals: argv.slice(at), flags }
}

/** A flag's last value. */
export function flagOf({ flags }: ParsedArguments, name: string): string | undefined {
  return flags.get(name)?.at(-1)
}

/** The text that an argument stands for: `@file`, `-` for standard input, or itself. */
export function argumentText(argument: string, { stdin }: ProductCall): string {
  if (argument === '-') return stdin()
  return argument.startsWith('@') ? readText(argument.slice(1)) : argument
}

/** The text of a file, `-` being standard input. */
export function readFileOrStdin(name: string, { stdin }: ProductCall): string {
  return name === '-' ? stdin() : readText(name)
}

function readText(name: string): string {
  try {
    return readFileSync(name, 'utf8')
  } catch (error) {
    throw new CommandFailure(`cannot read ${name} (${reasonOf(error)})`)
  }
}

/** An answer; JSON is parsed. */
export interface ProductReply {
  readonly status: number
  readonly value: unknown
}

/** A server that commands ask. */
export class ProductClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #failureCode: number

  /** @param failureCode the exit code of what is refused */
  constructor(
    address: string,
    headers: Readonly<Record<string, string | undefined>>,
    failureCode = 1,
  ) {
    this.#url = trimEndOf(/^https?:\/\//.test(address) ? address : `http://${address}`, '/')
    const present = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value] as const],
    )
    this.#headers = Object.fromEntries(present)
    this.#failureCode = failureCode
  }

  /**
   * Sends a request for a path below `/v1/`.
   *
   * @throws {CommandFailure} for what is refused, and where nobody answers
   */
  async send(method: string, path: string, body?: unknown): Promise<ProductReply> {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const request = {
      method,
      headers: this.#headers,
      ...(payload === undefined ? {} : { body: payload }),
    }
    let reply: Response
    let text: string
    try {
      reply = await fetch(`${this.#url}/v1/${path}`, request)
      text = await reply.text()
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      throw new CommandFailure(`${this.#url} did not answer: ${reasonOf(cause)}`, this.#failureCode)
    }
    const value = parseBody(text)
    if (reply.status < 300) return { status: reply.status, value }
    const reason = errorText(value)
    throw new CommandFailure(
      `${method} /v1/${path} answered ${reply.status}: ${reason}`,
      this.#failureCode,
    )
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function errorText(value: unknown): string {
  const errors =
    typeof value === 'object' && value !== null && 'errors' in value ? value.errors : value
  const joined = Array.isArray(errors) ? errors.join('; ') : String(errors)
  return joined.replaceAll(/\s+/g, ' ').trim()
}
