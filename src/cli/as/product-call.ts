import { readFileSync } from 'node:fs'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { reasonOf } from '../../config-error.ts'
import { memberOf } from '../capture/real-server.ts'
import { fetchWithinOrigin } from '../fetch-within-origin.ts'

/** Invocation of a product's command. */
export interface ProductCall {
  /** Arguments after the command's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads standard input as text. */
  stdin(): string
  readBytes(name: string): Uint8Array
  writeFile(name: string, content: string | Uint8Array): void
}

/** Text that a command prints; for an exit code other than 0, the text with the code. */
export type CommandOutput = string | { readonly code: number; readonly text: string }

/** Failure of a command, with a message of one line. */
export class CommandFailure extends Error {
  readonly code: number

  constructor(message: string, code = 1) {
    super(message)
    this.name = 'CommandFailure'
    this.code = code
  }
}

/** Flags of a call, and the words after the flags. */
export interface ParsedArguments {
  readonly positionals: readonly string[]
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/**
 * Parses arguments in the manner of Go's flag package: `-name value`, `-name=value`, one dash or
 * two, up to the first word that is not a flag.
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

/** Returns the last value of a flag; undefined if the call does not have the flag. */
export function flagOf({ flags }: ParsedArguments, name: string): string | undefined {
  return flags.get(name)?.at(-1)
}

/**
 * Returns the text that an argument stands for: the content of `@file`, standard input for `-`, or
 * the argument itself. Throws a `CommandFailure` if the file cannot be read.
 */
export function argumentText(argument: string, { stdin }: ProductCall): string {
  if (argument === '-') return stdin()
  return argument.startsWith('@') ? readText(argument.slice(1)) : argument
}

/**
 * Renders one member of a reply as a line or, if `field` is undefined, the whole reply as JSON.
 * Throws a `CommandFailure` if the reply does not have the member.
 */
export function renderField(data: unknown, field: string | undefined): string {
  if (field === undefined) return `${JSON.stringify(data, null, 2)}\n`
  const value = memberOf(data, field)
  if (value === undefined) throw new CommandFailure(`Field "${field}" not present in secret`)
  return `${typeof value === 'string' ? value : JSON.stringify(value)}\n`
}

/**
 * Reads a file as text; `-` is standard input. Throws a `CommandFailure` if the file cannot be
 * read.
 */
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

/** Reply of a server. `value` is the parsed JSON, or the body as text if it is not JSON. */
interface ProductReply {
  readonly status: number
  readonly value: unknown
}

/** Reply of a server with its headers and the bytes of its body. */
interface DownloadedReply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** Client of the server that a command calls. */
export class ProductClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #failureCode: number

  /**
   * @param failureCode exit code if the server rejects a request or does not answer
   */
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
   * Sends a request for a path below `/v1/`. A header in `headers` replaces the client's header of
   * the same name.
   *
   * @throws {CommandFailure} if the server rejects the request or does not answer
   */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ProductReply> {
    const { status, bytes } = await this.#exchange(method, path, body, headers)
    return { status, value: parseBody(Buffer.from(bytes).toString()) }
  }

  /**
   * Reads a path below `/v1/` as bytes.
   *
   * @throws {CommandFailure} if the server rejects the request or does not answer
   */
  download(path: string): Promise<DownloadedReply> {
    return this.#exchange('GET', path, undefined)
  }

  async #exchange(
    method: string,
    path: string,
    body: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<DownloadedReply> {
    const payload = payloadOf(body)
    const request = {
      method,
      headers: { ...this.#headers, ...more },
      ...(payload === undefined ? {} : { body: payload }),
    }
    let reply: Response
    let bytes: Uint8Array
    try {
      reply = await fetchWithinOrigin(`${this.#url}/v1/${path}`, request)
      bytes = new Uint8Array(await reply.arrayBuffer())
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      throw new CommandFailure(`${this.#url} did not answer: ${reasonOf(cause)}`, this.#failureCode)
    }
    const { status, headers } = reply
    if (status < 300) return { status, headers, bytes }
    const reason = errorText(parseBody(Buffer.from(bytes).toString()))
    throw new CommandFailure(
      `${method} /v1/${path} answered ${status}: ${reason}`,
      this.#failureCode,
    )
  }
}

function payloadOf(body: unknown) {
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/**
 * Parses JSON from the command line.
 * @param problem beginning of the failure's message, before the reason
 */
export function parseJsonArgument(text: string, problem: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandFailure(`${problem}: ${reasonOf(error)}`)
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
