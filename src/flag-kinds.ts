import { isIP } from 'node:net'
import { type ClockText, readClock } from '../routes/control/clock-text.ts'
import { suggestionFor } from '../routes/http/likeness.ts'
import { MILLISECOND, parseGoDuration } from '../state/go/duration.ts'
import { maxRate } from '../state/kernel/clock.ts'
import type { Command } from './commands.ts'

/** A value that its flag cannot take. The message completes the sentence "--flag must be ...". */
export class BadValue extends Error {
  /** False when the value may be a secret and is not repeated. */
  readonly repeat: boolean
  /** The value that was perhaps meant. */
  readonly meant: string | undefined

  constructor(message: string, repeat = true, meant?: string) {
    super(message)
    this.name = 'BadValue'
    this.repeat = repeat
    this.meant = meant
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
  readonly absent: T
  /** The text for that in help and README. */
  readonly shownDefault: string
  readonly meaning: string
  /** True when a flag given twice adds to the first instead of replacing it. */
  readonly adds?: boolean
  /** Reads the value. @throws {BadValue} when the text is none. */
  read(text: string): T
}

/** A day, in milliseconds. */
const longest = 86_400_000

type Named = Pick<Flag<unknown>, 'name' | 'of' | 'meaning'>

/** A switch: `--name`, `--no-name`, and 1, 0, true or false in the variable. */
export function toggle<T extends boolean | undefined>(
  flag: Named & { absent: T },
): Flag<T | boolean> {
  return {
    ...flag,
    shownDefault: 'off',
    read(text) {
      const word = text.toLowerCase()
      if (word === '1' || word === 'true') return true
      if (word === '0' || word === 'false') return false
      throw new BadValue('1, 0, true or false')
    },
  }
}

/** A port that is always listened on. */
export function port(flag: Named & { absent: number }): Flag<number> {
  return { ...flag, value: 'PORT', shownDefault: String(flag.absent), read: readPort }
}

/** A port that is not listened on unless given. */
export function extraPort(flag: Named): Flag<number | undefined> {
  return { ...flag, value: 'PORT', absent: undefined, shownDefault: 'off', read: readPort }
}

function readPort(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (number <= 65535) return number
  throw new BadValue('a port number from 0 to 65535 (0 = any free one)')
}

/** One of a few words. */
export function choice<const W extends string, const A extends W | undefined>(
  flag: Named & { words: readonly W[]; absent: A; shownDefault?: string },
): Flag<W | A> {
  const { words, ...rest } = flag
  return {
    ...rest,
    value: words.join('|'),
    shownDefault: flag.shownDefault ?? String(flag.absent),
    read(text) {
      const word = words.find((known) => known === text)
      if (word !== undefined) return word
      throw new BadValue(`one of ${words.join(', ')}`, true, suggestionFor(text, words))
    },
  }
}

const hostName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/i

/** A name or address to listen on; the brackets of `[::1]` may stay. */
export function host(flag: Named & { absent: string }): Flag<string> {
  return {
    ...flag,
    value: 'HOST',
    shownDefault: flag.absent,
    read(text) {
      const bare = text.replace(/^\[(.*)\]$/, '$1')
      if (isIP(bare) !== 0 || hostName.test(bare)) return bare
      throw new BadValue('a host name or address without scheme and port')
    },
  }
}

/** Host names separated by commas, in lower case. */
export function hostList(flag: Named): Flag<readonly string[]> {
  return {
    ...flag,
    value: 'HOST,...',
    absent: [],
    shownDefault: 'none',
    adds: true,
    read(text) {
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
export function token<T extends string | undefined>(flag: Named & { absent: T }): Flag<T | string> {
  return {
    ...flag,
    value: 'TOKEN',
    shownDefault: flag.absent ?? 'none',
    read(text) {
      if (/^[\x21-\x7e]+$/.test(text)) return text
      throw new BadValue('printable ASCII without spaces', false)
    },
  }
}

/** Any text that is not empty: a seed, a path, a document. */
export function text(
  flag: Named & { value: string; shownDefault: string },
): Flag<string | undefined> {
  return {
    ...flag,
    absent: undefined,
    read(given) {
      if (given !== '') return given
      throw new BadValue('a text that is not empty')
    },
  }
}

/** Names separated by commas. */
export function nameList(flag: Named & { shownDefault: string }): Flag<readonly string[]> {
  return {
    ...flag,
    value: 'NAME,...',
    absent: [],
    adds: true,
    read(given) {
      const names = given.split(',').map((name) => name.trim())
      if (names.every((name) => name !== '')) return names
      throw new BadValue('names separated by commas')
    },
  }
}

/** How many of something, at least one. */
export function count(flag: Named & { absent: number }): Flag<number> {
  return {
    ...flag,
    value: 'N',
    shownDefault: String(flag.absent),
    read(given) {
      const number = /^\d{1,6}$/.test(given) ? Number(given) : 0
      if (number > 0) return number
      throw new BadValue('a whole number from 1 to 999999')
    },
  }
}

/** A share of a hundred. */
export function percent(flag: Named & { absent: number }): Flag<number> {
  return {
    ...flag,
    value: 'PERCENT',
    shownDefault: String(flag.absent),
    read(given) {
      const number = /^\d{1,3}(?:\.\d+)?$/.test(given) ? Number(given) : Number.NaN
      if (number <= 100) return number
      throw new BadValue('a number from 0 to 100')
    },
  }
}

/** A Go duration above zero, in milliseconds. */
export function duration(flag: Named & { usual: string }): Flag<number> {
  const { usual, ...rest } = flag
  return {
    ...rest,
    value: 'DURATION',
    absent: readDuration(usual),
    shownDefault: usual,
    read: readDuration,
  }
}

function readDuration(given: string): number {
  try {
    const time = parseGoDuration(given) / MILLISECOND
    if (time >= 1 && time <= longest) return time
  } catch {
    // As what is too short.
  }
  throw new BadValue('a Go duration from 1ms to 24h, as 90s or 5m')
}

/** `real`, `frozen`, `frozen@TIME` or `scaled@RATE`. */
export function clock(flag: Named): Flag<ClockText> {
  return {
    ...flag,
    value: 'real|frozen[@TIME]|scaled@RATE',
    absent: { mode: 'real' },
    shownDefault: 'real',
    read(given) {
      const setting = readClock(given)
      if (setting !== undefined) return setting
      throw new BadValue(
        `real, frozen, frozen@TIME (as 2026-01-02T03:04:05Z) or scaled@RATE (a number above 0, at most ${maxRate})`,
      )
    },
  }
}
