import { isObject } from '../../kernel/objects.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { agentPoolWithId } from '../agents/agent-pools.ts'
import { checkUrl } from '../deliveries/urls.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { checkPlainName, type TextInput, updatedText } from '../names.ts'
import { Violations } from '../violations.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import {
  attachmentsOfTask,
  dropTask,
  dropWorkspaceTask,
  enforcementLevels,
  putTask,
  putWorkspaceTask,
  type RunTask,
  type StageName,
  stageNames,
  taskNamed,
  taskWithId,
  type WorkspaceTask,
} from './tasks.ts'

/**
 * Attributes in a request that creates or changes a run task. A null text is treated as an empty
 * text.
 */
interface TaskInput extends TextInput<'name' | 'url' | 'description' | 'category' | 'hmac_key'> {
  readonly enabled?: boolean
  /** An object with hyphenated members, or null. */
  readonly global_configuration?: unknown
  /** Agent pool id. */
  readonly agent_pool?: string | null | undefined
}

const maxDescriptionLength = 300

/**
 * Creates a run task. Throws 422 for invalid attributes or an unknown agent pool
 * (behaviour/platform#run-tasks).
 */
export function createTask(world: World, organization: string, input: TaskInput): RunTask {
  return storeTask(world, input, {
    id: newId(world, 'task'),
    organization,
    name: '',
    url: '',
    description: '',
    category: 'task',
    hmac_key: null,
    enabled: true,
    global_configuration: null,
    agent_pool: null,
    created_at: world.clock.now(),
  })
}

export function changeTask(world: World, task: RunTask, input: TaskInput): RunTask {
  return storeTask(world, { category: 'task', ...input }, task)
}

function storeTask(world: World, input: TaskInput, before: RunTask): RunTask {
  const { organization } = before
  const violations = new Violations()
  const name = updatedText(input.name, before.name)
  checkPlainName(violations, name, before, taskNamed(world, organization, name))
  const url = updatedText(input.url, before.url)
  checkUrl(url, violations)
  const description = updatedText(input.description, before.description)
  if ([...description].length > maxDescriptionLength) {
    violations.add('description', 'too-long', { limit: maxDescriptionLength })
  }
  if (input.category !== 'task') violations.add('category', 'not-listed')
  const { global_configuration: sent } = input
  const global_configuration =
    sent === undefined
      ? before.global_configuration
      : parseGlobalConfiguration(sent, before.global_configuration, violations)
  violations.check()
  const { agent_pool = before.agent_pool } = input
  if (agent_pool !== null && agent_pool !== before.agent_pool) {
    const pool = agentPoolWithId(world, agent_pool)
    if (pool?.organization !== organization) throw refuse('agent-pool-unknown')
  }
  return world.write(() =>
    putTask(world, {
      ...before,
      name,
      url,
      description,
      global_configuration,
      agent_pool,
      enabled: input.enabled ?? before.enabled,
      hmac_key: input.hmac_key === undefined ? before.hmac_key : input.hmac_key || null,
    }),
  )
}

/**
 * Parses the configuration with which the runs of all workspaces call a run task. Adds broken rules
 * to `violations`. Returns null if `sent` is null or not an object. Also returns null if
 * `violations` is not empty after the stages and the level are checked; violations from earlier
 * checks count.
 */
function parseGlobalConfiguration(
  sent: unknown,
  before: RunTask['global_configuration'],
  violations: Violations,
): RunTask['global_configuration'] {
  if (sent === null) return null
  const pointer = 'global-configuration'
  if (!isObject(sent)) {
    violations.add(pointer, 'invalid')
    return null
  }
  const {
    enabled = before?.enabled ?? true,
    stages = before?.stages ?? ['post_plan'],
    'enforcement-level': level = before?.enforcement_level ?? 'advisory',
  } = sent
  const callSettings = parseCallSettings({ stages, level }, violations, `${pointer}/`)
  if (typeof enabled !== 'boolean') violations.add(`${pointer}/enabled`, 'no-flag')
  return callSettings === undefined ? null : { enabled: enabled === true, ...callSettings }
}

type CallSettings = Pick<WorkspaceTask, 'stages' | 'enforcement_level'>

/**
 * Parses stages and enforcement level, and adds broken rules to `violations`. Returns undefined if
 * `violations` is not empty afterwards; violations from earlier checks count.
 */
function parseCallSettings(
  { stages, level }: { readonly stages: unknown; readonly level: unknown },
  violations: Violations,
  prefix = '',
): CallSettings | undefined {
  const sent: readonly unknown[] = Array.isArray(stages) ? stages : [stages]
  const knownStages = stageNames.filter((name) => sent.includes(name))
  const isKnown = sent.every((name) => knownStages.some((each) => each === name))
  const enforcement_level = enforcementLevels.find((each) => each === level)
  if (sent.length === 0) violations.add(`${prefix}stages`, 'blank')
  else if (!isKnown) violations.add(`${prefix}stages`, 'not-listed')
  if (level === undefined || level === null || level === '') {
    violations.add(`${prefix}enforcement-level`, 'blank')
  } else if (enforcement_level === undefined) {
    violations.add(`${prefix}enforcement-level`, 'not-listed')
  } else if (enforcement_level === 'mandatory' && knownStages.includes('post_apply')) {
    violations.add(`${prefix}enforcement-level`, 'advisory-after-apply')
  }
  if (violations.hasAny || enforcement_level === undefined) return undefined
  return { stages: sent.filter(isStageName), enforcement_level }
}

function isStageName(name: unknown): name is StageName {
  return stageNames.some((each) => each === name)
}

/** Deletes a run task and detaches it from all workspaces. */
export function deleteTask(world: World, task: RunTask): void {
  world.write(() => {
    for (const attachment of attachmentsOfTask(world, task.id)) dropWorkspaceTask(world, attachment)
    dropTask(world, task)
  })
}

/** Members of a request that attaches a run task to a workspace or changes the attachment. */
interface WorkspaceTaskInput extends TextInput<'enforcement_level' | 'stage'> {
  readonly stages?: readonly string[]
}

/**
 * Attaches a run task to a workspace. Throws 404 for a task that is unknown or in another
 * organization. Throws 422 if the task is already attached or an attribute is invalid.
 */
export function attachTask(
  world: World,
  { id: workspace, organization }: Workspace,
  taskId: string,
  input: WorkspaceTaskInput,
): WorkspaceTask {
  const task = requireFound(taskWithId(world, taskId))
  if (task.organization !== organization) throw refuse('not-found')
  const violations = new Violations()
  if (attachmentsOfTask(world, task.id).some((attachment) => attachment.workspace === workspace)) {
    violations.add('task', 'taken')
  }
  const { stage = 'post_plan', stages = [stage], enforcement_level: level } = input
  const callSettings = parseCallSettings({ stages, level }, violations)
  if (callSettings === undefined) throw violations.refusal()
  const id = newId(world, 'wstask')
  return world.write(() =>
    putWorkspaceTask(world, { id, workspace, task: taskId, ...callSettings }),
  )
}

/**
 * Changes the stages and the enforcement level of an attached run task. Throws 422 for an invalid
 * stage or level.
 */
export function changeWorkspaceTask(
  world: World,
  attachment: WorkspaceTask,
  input: WorkspaceTaskInput,
): WorkspaceTask {
  const violations = new Violations()
  const { enforcement_level: level = attachment.enforcement_level } = input
  const stages = input.stages ?? (input.stage === undefined ? attachment.stages : [input.stage])
  const callSettings = parseCallSettings({ stages, level }, violations)
  if (callSettings === undefined) throw violations.refusal()
  return world.write(() => putWorkspaceTask(world, { ...attachment, ...callSettings }))
}
