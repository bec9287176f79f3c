import { isIP } from 'node:net'
import { type ClockText, readClock } from '../../../routes/control/clock/clock-text.ts'
import { suggestionFor } from '../../../routes/http/declare/similarity.ts'
import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { maxRate } from '../../../state/kernel/time/clock.ts'
import type { Command } from '../commands.ts'

/** A value that its flag cannot take. The message completes the sentence "--flag must be ...". */
export class BadValue extends Error {
  /** False when the value may be a secret and is not repeated. */
  readonly mayBeShown: boolean
  /** The value that was perhaps meant. */
  readonly suggestion: string | undefined

  constructor(message: string, mayBeShown = true, suggestion?: string) {
    super(message)
    this.name = 'BadValue'
    this.mayBeShown = mayBeShown
    this.suggestion = suggestion
  }
}

/** One setting of the command: how it is called, shown and read. */
export interface Flag<T> {
  /** Long name without dashes; the environment twin is derived from it. */
  readonly name: string
  /** The commands that it is for; without any, it is one of servers. */
  readonly of?: readonly Command[]
  /** The name of the value in help; a switch has none. */
  readonly value?: string
  /** The setting when neither flag nor variable is given. */
  readonly defaultValue: T
  /** The text for that in help and README. */
  readonly defaultText: string
  readonly meaning: string
  /** True when a flag given twice adds to the first instead of replacing it. */
  readonly accumulates?: boolean
  /** Reads the value. @throws {BadValue} when the text is none. */
  parse(text: string): T
}

/** A day, in milliseconds. */
const maxDuration = 86_400_000

type FlagBase = Pick<Flag<unknown>, 'name' | 'of' | 'meaning'>

/** A switch: `--name`, `--no-name`, and 1, 0, true or false in the variable. */
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

/** A port that is always listened on. */
export function port(flag: FlagBase & { defaultValue: number }): Flag<number> {
  return { ...flag, value: 'PORT', defaultText: String(flag.defaultValue), parse: parsePort }
}

/** A port that is not listened on unless given. */
export function extraPort(flag: FlagBase): Flag<number | undefined> {
  return { ...flag, value: 'PORT', defaultValue: undefined, defaultText: 'off', parse: parsePort }
}

function parsePort(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (number <= 65535) return number
  throw new BadValue('a port number from 0 to 65535 (0 = any free one)')
}

/** One of a few words. */
export function choice<const W extends string, const A extends W | undefined>(
  flag: FlagBase & { words: readonly W[]; defaultValue: A; defaultText?: string },
): Flag<W | A> {
  const { words, ...rest } = flag
  return {
    ...rest,
    value: words.join('|'),
    defaultText: flag.defaultText ?? String(flag.defaultValue),
    parse(text) {
      const word = words.find((known) => known === text)
      if (word !== undefined) return word
      throw new BadValue(`one of ${words.join(', ')}`, true, suggestionFor(text, words))
    },
  }
}

const hostName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/i

/** A name or address to listen on; the brackets of `[::1]` may stay. */
export function host(flag: FlagBase & { defaultValue: string }): Flag<string> {
  return {
    ...flag,
    value: 'HOST',
    defaultText: flag.defaultValue,
    parse(text) {
      const withoutBrackets = text.replace(/^\[(.*)\]$/, '$1')
      if (isIP(withoutBrackets) !== 0 || hostName.test(withoutBrackets)) return withoutBrackets
      throw new BadValue('a host name or address without scheme and port')
    },
  }
}

/** Host names separated by commas, in lower case. */
export function hostList(flag: FlagBase): Flag<readonly string[]> {
  return {
    ...flag,
    value: 'HOST,...',
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

/** A bearer token: what a header can carry. Never repeated in messages. */
export function token<T extends string | undefined>(
  flag: FlagBase & { defaultValue: T },
): Flag<T | string> {
  return {
    ...flag,
    value: 'TOKEN',
    defaultText: flag.defaultValue ?? 'none',
    parse(text) {
      if (/^[\x21-\x7e]+$/.test(text)) return text
      throw new BadValue('printable ASCII without spaces', false)
    },
  }
}

/** Any text that is not empty: a seed, a path, a document. */
export function text(
  flag: FlagBase & { value: string; defaultText: string },
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

/** Names separated by commas. */
export function nameList(flag: FlagBase & { defaultText: string }): Flag<readonly string[]> {
  return {
    ...flag,
    value: 'NAME,...',
    defaultValue: [],
    accumulates: true,
    parse(text) {
      const names = text.split(',').map((name) => name.trim())
      if (names.every((name) => name !== '')) return names
      throw new BadValue('names separated by commas')
    },
  }
}

/** How many of something, at least one. */
export function count(flag: FlagBase & { defaultValue: number }): Flag<number> {
  return {
    ...flag,
    value: 'N',
    defaultText: String(flag.defaultValue),
    parse(text) {
      const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
      if (number > 0) return number
      throw new BadValue('a whole number from 1 to 999999')
    },
  }
}

/** A share of a hundred. */
export function percent(flag: FlagBase & { defaultValue: number }): Flag<number> {
  return {
    ...flag,
    value: 'PERCENT',
    defaultText: String(flag.defaultValue),
    parse(text) {
      const number = /^\d{1,3}(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
      if (number <= 100) return number
      throw new BadValue('a number from 0 to 100')
    },
  }
}

/** A Go duration above zero, in milliseconds. */
export function duration(flag: FlagBase & { defaultDuration: string }): Flag<number> {
  const { defaultDuration, ...rest } = flag
  return {
    ...rest,
    value: 'DURATION',
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
    // As what is too short.
  }
  throw new BadValue('a Go duration from 1ms to 24h, as 90s or 5m')
}

/** `real`, `frozen`, `frozen@TIME` or `scaled@RATE`. */
export function clock(flag: FlagBase): Flag<ClockText> {
  return {
    ...flag,
    value: 'real|frozen[@TIME]|scaled@RATE',
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
