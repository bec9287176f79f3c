import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { CachedJson, type JsonText, jsonList } from '../http/json-text.ts'
import { schedulerDialect } from './dialect.ts'

/** Returns the JSON of a value; of a row, and of what is derived from one, it is written once. */
type Writer = (world: World, value: unknown) => JsonText

/** Writers of a shape, one for each dialect. */
export type Writers = Readonly<Record<DialectName, Writer>>

/** Makes the writers of a shape. What they write never changes in place, as rows do not. */
export function writersOf(shape: Shape): Writers {
  return { neutral: writerOf(shape, 'neutral'), vendor: writerOf(shape, 'vendor') }
}

function writerOf(shape: Shape, name: DialectName): Writer {
  const dialect = schedulerDialect(name)
  const write = (value: unknown): CachedJson =>
    new CachedJson(JSON.stringify(dialect.value(shape, value)))
  if (shape.kind === 'nullable') return writerOf(shape.to, name)
  if (shape.kind === 'list' && shape.orderedBy === undefined) {
    const item = writerOf(shape.of, name)
    return (world, value) =>
      Array.isArray(value) ? jsonList(value.map((each) => item(world, each).text)) : write(value)
  }
  return (world, value) =>
    typeof value === 'object' && value !== null ? world.derived(value, write) : write(value)
}
