import type { Spend } from '../../hcl/language/types.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'

/**
 * Hands down, to a job, what becomes of it once all of its blocks are read
 * (behaviour/scheduler#job-files): its label is its ID and name, tasks outside of groups get
 * groups of their own, placed first, and tasks take over the integration blocks of their group or
 * job.
 *
 * @param blankGroup a group of which nothing is said
 * @param spend pays for what is taken over, as often as it is
 */
export function inheritBlocks(
  job: JsonObject,
  label: string,
  blankGroup: Readonly<JsonObject>,
  spend: Spend,
): void {
  job.ID ??= label
  job.Name ??= label
  const { Tasks, Secrets = null } = job
  // Only if it is there: objects that lost a member are slow from then on.
  if (Tasks !== undefined) delete job.Tasks
  if (Secrets !== null) delete job.Secrets
  const implicitGroups = objectsIn(Tasks).map(
    (task): JsonObject => ({ ...blankGroup, Name: task.Name ?? '', Tasks: [task] }),
  )
  if (implicitGroups.length > 0) job.TaskGroups = [...implicitGroups, ...objectsIn(job.TaskGroups)]
  const jobSecrets = copyOnDemand(Secrets, spend)
  for (const group of objectsIn(job.TaskGroups)) {
    const groupSecrets = copyOnDemand(group.Secrets ?? null, spend)
    if ('Secrets' in group) delete group.Secrets
    for (const task of objectsIn(group.Tasks)) {
      task.Secrets ??= groupSecrets() ?? jobSecrets()
      splitDefaultIdentity(task)
    }
  }
}

/** A block to be taken over any number of times, each of which is paid for. */
function copyOnDemand(block: Json, spend: Spend): () => Json {
  if (block === null) return () => null
  const size = JSON.stringify(block).length
  return () => {
    spend(size)
    return structuredClone(block)
  }
}

/** A task's default identity has a member of its own. */
function splitDefaultIdentity(task: JsonObject): void {
  const identities = objectsIn(task.Identities)
  const defaultIdentity = identities.find(({ Name = '' }) => Name === '' || Name === 'default')
  if (defaultIdentity === undefined) return
  task.Identity = defaultIdentity
  const others = identities.filter((identity) => identity !== defaultIdentity)
  if (others.length > 0) task.Identities = others
  else delete task.Identities
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
