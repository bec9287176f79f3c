import { quoteGo } from '../go/text.ts'
import { word } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { secretsTable } from './table.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]

/**
 * Accepted words, including synonyms, and the level that each selects. An empty word selects
 * `info`.
 */
const levelWords: Readonly<Record<string, Level>> = {
  ...Object.fromEntries(levels.map((level) => [level, level])),
  ...{ notice: 'info', '': 'info', warning: 'warn', err: 'error' },
}

/** Log levels that callers have set, by the name of the logger. The levels have no effect. */
export const loggerLevels = secretsTable('logger-levels', struct({ level: word(...levels) }), {
  secrets: 'none',
})

const loggers: readonly string[] = [
  'audit',
  'core',
  'expiration',
  'identity',
  'policy',
  'quotas',
  'rollback',
  'storage',
  'system',
  'token',
]

const defaultLevel: Level = 'info'

/**
 * Returns the levels of all loggers, or of one logger, by the logger's name. Returns an empty
 * object for an unknown name.
 */
export function loggerLevelsOf(world: World, name?: string): Readonly<Record<string, string>> {
  const names = name === undefined ? loggers : loggers.filter((each) => each === name)
  const levelOf = (each: string) => world.table(loggerLevels).get(each)?.level ?? defaultLevel
  return Object.fromEntries(names.map((each) => [each, levelOf(each)]))
}

/**
 * Sets the level of one logger, or of all loggers if `name` is undefined.
 *
 * @throws Refusal for a missing or unknown level and for an unknown logger
 */
export function setLoggerLevel(world: World, level: string | undefined, name?: string): void {
  if (level === undefined) throw refuse('logger-level-missing')
  if (level === '') throw refuse('logger-level-empty')
  const word = level.trim().toLowerCase()
  const known = levelWords[word]
  if (known === undefined) throw refuse('logger-level-unknown', { level: word })
  const names = namesOf(name)
  world.write(() => {
    for (const each of names) world.table(loggerLevels).put(each, { level: known })
  })
}

/**
 * Resets one logger, or all loggers if `name` is undefined, to the default level.
 *
 * @throws Refusal for an unknown logger
 */
export function resetLoggerLevel(world: World, name?: string): void {
  const names = namesOf(name)
  world.write(() => {
    for (const each of names) world.table(loggerLevels).delete(each)
  })
}

function namesOf(name: string | undefined): readonly string[] {
  if (name === undefined) return loggers
  if (!loggers.includes(name)) throw refuse('logger-unknown', { name: quoteGo(name) })
  return [name]
}
