import { compareBytewise } from '../../json/json.ts'
import type { Row, TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'

/**
 * Returns the names in a folder of a table, sorted bytewise, sub-folders with a closing slash.
 *
 * @param folder the key prefix of the folder: empty or with a closing slash
 * @throws {Refusal} `absent` for an empty folder (behaviour/secrets#api-lists)
 */
export function namesInFolder<R extends Row>(
  world: World,
  table: TableDefinition<R>,
  folder: string,
): string[] {
  const names = world.table(table).children(folder)
  if (names.length === 0) throw refuse('nothing-here')
  return names.sort(compareBytewise)
}
