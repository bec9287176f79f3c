import type { DialectName } from '../../kernel/shape/dialect.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { runWithPart } from './runs.ts'

/** Characters around the text of a log; the second one follows once the log is complete. */
const startOfText = '\u0002'
const endOfText = '\u0003'

/** Returns the log of a plan or an apply so far; undefined if the id is not that of one. */
export function runLogOf(world: World, id: string, dialect: DialectName): string | undefined {
  const run = runWithPart(world, id)
  if (run === undefined) return undefined
  const { status, reached } = run.plan.id === id ? run.plan : run.apply
  if (reached.started_at === undefined) return ''
  const product = dialect === 'vendor' ? 'Terraform' : 'Infra'
  const text = `${product} v${run.infra_version}\non linux_amd64\nInitializing plugins and modules...\n`
  return `${startOfText}${text}${status === 'running' ? '' : endOfText}`
}
