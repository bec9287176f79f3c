import { quoteGo } from '../../go/text.ts'
import { isJsonObject } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { Job } from '../job/job-shape.ts'
import type { Secrets, Task } from '../job/task-shape.ts'
import { failedChecks } from './errors.ts'
import { message } from './task-messages.ts'

/** Finds the first secrets block of a job whose integration is switched off. */
export function disabledSecretsErrors(job: Job): readonly Message[] {
  const [first] = blocksOf(job)
  return first === undefined
    ? []
    : [message('secrets-not-enabled', { cluster: quoteGo(clusterOf(first.secrets)) })]
}

/** Finds blocks that ask for nothing: without the integration nobody says what they would get. */
export function emptySecretsErrors(job: Job): readonly Message[] {
  return blocksOf(job).flatMap(({ task, secrets }) =>
    failedChecks(
      secrets.Policies === null &&
        !hasIdentity(task, clusterOf(secrets)) &&
        message('secrets-policies-empty', { task: task.Name }),
    ),
  )
}

function blocksOf({ TaskGroups }: Job): { readonly task: Task; readonly secrets: Secrets }[] {
  const tasks = (TaskGroups ?? []).flatMap(({ Tasks }) => Tasks ?? [])
  return tasks.flatMap((task) => (task.Secrets === null ? [] : [{ task, secrets: task.Secrets }]))
}

function clusterOf({ Cluster }: Secrets): string {
  return Cluster || 'default'
}

/** Tells whether a task has an identity for the integration, under either dialect's name. */
function hasIdentity({ Identities }: Task, cluster: string): boolean {
  const names = [`secrets_${cluster}`, `vault_${cluster}`]
  return (
    Array.isArray(Identities) &&
    Identities.some((identity) => isJsonObject(identity) && names.includes(String(identity.Name)))
  )
}
