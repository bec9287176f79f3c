import { isIP } from 'node:net'
import { type ClockText, readClock } from '../../../routes/control/clock/clock-text.ts'
import { suggestionFor } from '../../../routes/http/declare/similarity.ts'
import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { maxRate } from '../../../state/kernel/time/clock.ts'
import type { Command } from '../commands.ts'

/**
 * Error for a value that its flag does not accept. The message completes the sentence "--flag must
 * be ...".
 */
export class BadValue extends Error {
  /** False if the value may be a secret and must not appear in messages. */
  readonly mayBeShown: boolean
  /** Value that the caller may have meant. */
  readonly suggestion: string | undefined

  constructor(message: string, mayBeShown = true, suggestion?: string) {
    super(message)
    this.name = 'BadValue'
    this.mayBeShown = mayBeShown
    this.suggestion = suggestion
  }
}

/** Setting of the command, with its names, its help text and its parser. */
export interface Flag<T> {
  /** Long name without dashes, from which the name of the environment variable derives. */
  readonly name: string
  /** Commands that the flag applies to; undefined for flags of the server. */
  readonly commands?: readonly Command[]
  /** Name of the value in help; undefined for a switch. */
  readonly valueName?: string
  /** Setting if neither the flag nor the variable is given. */
  readonly defaultValue: T
  /** Text for the default in help and README. */
  readonly defaultText: string
  readonly meaning: string
  /** True if a repeated flag adds to the first instead of replacing it. */
  readonly accumulates?: boolean
  /**
   * Parses the value.
   *
   * @throws {BadValue} if the text is invalid
   */
  parse(text: string): T
}

/** Longest duration that a flag accepts: one day, in milliseconds. */
const maxDuration = 86_400_000

type FlagBase = Pick<Flag<unknown>, 'name' | 'commands' | 'meaning'>

/** Returns a switch: `--name`, `--no-name`, and 1, 0, true or false in the variable. */
export function toggle<T extends boolean | undefined>(
  flag: FlagBase & { defaultValue: T },
): Flag<T | boolean> {
  return {
    ...flag,
    defaultText: 'off',
    parse(text) {
      const word = text.toLowerCase()
      if (word === '1' || word === 'true') return true
      if (word === '0' || word === 'false') return false
      throw new BadValue('1, 0, true or false')
    },
  }
}

/** Returns a flag for a port that always has a listener. */
export function port(flag: FlagBase & { defaultValue: number }): Flag<number> {
  return { ...flag, valueName: 'PORT', defaultText: String(flag.defaultValue), parse: parsePort }
}

/**
 * Returns a flag for the port of an optional listener. Without the flag, there is no such listener.
 */
export function extraPort(flag: FlagBase): Flag<number | undefined> {
  return {
    ...flag,
    valueName: 'PORT',
    defaultValue: undefined,
    defaultText: 'off',
    parse: parsePort,
  }
}

function parsePort(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (number <= 65535) return number
  throw new BadValue('a port number from 0 to 65535 (0 = any free one)')
}

/** Returns a flag whose value must be one of a fixed list of words. */
export function choice<const W extends string, const A extends W | undefined>(
  flag: FlagBase & { words: readonly W[]; defaultValue: A; defaultText?: string },
): Flag<W | A> {
  const { words, ...rest } = flag
  return {
    ...rest,
    valueName: words.join('|'),
    defaultText: flag.defaultText ?? String(flag.defaultValue),
    parse(text) {
      const word = words.find((known) => known === text)
      if (word !== undefined) return word
      throw new BadValue(`one of ${words.join(', ')}`, true, suggestionFor(text, words))
    },
  }
}

const hostName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/i

/** Returns a flag for a name or address to listen on. Brackets around an address are removed. */
export function host(flag: FlagBase & { defaultValue: string }): Flag<string> {
  return {
    ...flag,
    valueName: 'HOST',
    defaultText: flag.defaultValue,
    parse(text) {
      const withoutBrackets = text.replace(/^\[(.*)\]$/, '$1')
      if (isIP(withoutBrackets) !== 0 || hostName.test(withoutBrackets)) return withoutBrackets
      throw new BadValue('a host name or address without scheme and port')
    },
  }
}

/** Returns a flag for comma-separated host names, which are converted to lower case. */
export function hostList(flag: FlagBase): Flag<readonly string[]> {
  return {
    ...flag,
    valueName: 'HOST,...',
    defaultValue: [],
    defaultText: 'none',
    accumulates: true,
    parse(text) {
      const names = text
        .toLowerCase()
        .split(',')
        .map((name) => name.trim())
      if (names.every((name) => hostName.test(name))) return names
      throw new BadValue('host names separated by commas, without schemes and ports')
    },
  }
}

/** Returns a flag for a bearer token that fits into a header. Messages never contain the token. */
export function token<T extends string | undefined>(
  flag: FlagBase & { defaultValue: T },
): Flag<T | string> {
  return {
    ...flag,
    valueName: 'TOKEN',
    defaultText: flag.defaultValue ?? 'none',
    parse(text) {
      if (/^[\x21-\x7e]+$/.test(text)) return text
      throw new BadValue('printable ASCII without spaces', false)
    },
  }
}

/** Returns a flag for any text that is not empty: a seed, a path, a document. */
export function text(
  flag: FlagBase & { valueName: string; defaultText: string },
): Flag<string | undefined> {
  return {
    ...flag,
    defaultValue: undefined,
    parse(text) {
      if (text !== '') return text
      throw new BadValue('a text that is not empty')
    },
  }
}

/** Returns a flag for names separated by commas. */
export function nameList(flag: FlagBase & { defaultText: string }): Flag<readonly string[]> {
  return {
    ...flag,
    valueName: 'NAME,...',
    defaultValue: [],
    accumulates: true,
    parse(text) {
      const names = text.split(',').map((name) => name.trim())
      if (names.every((name) => name !== '')) return names
      throw new BadValue('names separated by commas')
    },
  }
}

/** Returns a flag for a count of at least one. */
export function count(flag: FlagBase & { defaultValue: number }): Flag<number> {
  return {
    ...flag,
    valueName: 'N',
    defaultText: String(flag.defaultValue),
    parse(text) {
      const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
      if (number > 0) return number
      throw new BadValue('a whole number from 1 to 999999')
    },
  }
}

/** Returns a flag for a number from 0 to 100, which may have decimals. */
export function percent(flag: FlagBase & { defaultValue: number }): Flag<number> {
  return {
    ...flag,
    valueName: 'PERCENT',
    defaultText: String(flag.defaultValue),
    parse(text) {
      const number = /^\d{1,3}(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
      if (number <= 100) return number
      throw new BadValue('a number from 0 to 100')
    },
  }
}

/** Returns a flag for a Go duration from 1 ms to a day, which it converts to milliseconds. */
export function duration(flag: FlagBase & { defaultDuration: string }): Flag<number> {
  const { defaultDuration, ...rest } = flag
  return {
    ...rest,
    valueName: 'DURATION',
    defaultValue: parseDuration(defaultDuration),
    defaultText: defaultDuration,
    parse: parseDuration,
  }
}

function parseDuration(text: string): number {
  try {
    const time = parseGoDuration(text) / MILLISECOND
    if (time >= 1 && time <= maxDuration) return time
  } catch {
    // A duration that does not parse is rejected like one that is too short.
  }
  throw new BadValue('a Go duration from 1ms to 24h, such as 90s or 5m')
}

/** Returns a flag for a clock: `real`, `frozen`, `frozen@TIME` or `scaled@RATE`. */
export function clock(flag: FlagBase): Flag<ClockText> {
  return {
    ...flag,
    valueName: 'real|frozen[@TIME]|scaled@RATE',
    defaultValue: { mode: 'real' },
    defaultText: 'real',
    parse(text) {
      const setting = readClock(text)
      if (setting !== undefined) return setting
      throw new BadValue(
        `real, frozen, frozen@TIME (as 2026-01-02T03:04:05Z) or scaled@RATE (a number above 0, at most ${maxRate})`,
      )
    },
  }
}

/**
 * Source of the certificate. Without `dir` and `certFile`, a certificate is issued into a fresh
 * temporary directory.
 */
export interface TlsSetting {
  readonly dir?: string | undefined
  /** Path of a certificate to serve, given together with `keyFile`. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** Prefix of the names of generated files. */
  readonly filePrefix?: string
  /**
   * Whether listeners that serve a single API refuse clients without a certificate from the client
   * CA.
   */
  readonly requiresClientCertificate?: boolean
  /** File with the CA of the clients; undefined for the well-known CAs. */
  readonly clientCaFile?: string | undefined
}
