import { optionRows } from '../../state/kernel/options/options.ts'
import { kernelService, type Row } from '../../state/kernel/store/table.ts'
import { documentFormat, type StateDocument } from '../../state/kernel/worlds/document.ts'
import { stateAfter } from './past-state.ts'
import type { TracedWorld } from './trace.ts'

type Tables = Record<string, Readonly<Record<string, Row>>>

/**
 * Returns the state of a world right after a step, in the form of `GET /state`. The document
 * contains only rows: traces do not contain the state of the clock and of the id generator, or the
 * indexes of services. Empty tables are left out.
 *
 * @param position position of the step; -1 for the start
 */
export function stateDocument(world: TracedWorld, position: number): StateDocument {
  const services = new Map<string, Tables>()
  for (const [id, rows] of Object.entries(stateAfter(world, position))) {
    const dot = id.indexOf('.')
    const service = id.slice(0, dot)
    const tables = services.get(service) ?? {}
    tables[id.slice(dot + 1)] = rows
    services.set(service, tables)
  }
  const { [optionRows.name]: options, ...tables } = services.get(kernelService) ?? {}
  services.delete(kernelService)
  return {
    format: documentFormat,
    world: { tables },
    ...(options === undefined ? {} : { options }),
    ...Object.fromEntries([...services].map(([name, tables]) => [name, { tables }])),
  }
}
