import { compareBytewise } from '../../json/json.ts'
import type { Row, TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'

/**
 * Lists the names in a folder of a table, sorted bytewise; names of sub-folders end with a slash.
 * @param folder key prefix of the folder; ends with a slash unless empty
 * @throws Refusal `absent` if the folder contains nothing (behaviour/secrets#api-lists)
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
