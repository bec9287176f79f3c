import type { DialectName } from '../../kernel/shape/dialect.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { stateValueType } from '../states/state-file.ts'
import { parseAddress } from './addresses.ts'
import { countsOf, firstHalfOf, planOfRun, type RunPlan } from './planning.ts'
import { isChange, type ResourceChange } from './resource-changes.ts'
import { type Run, runWithPart } from './runs.ts'

/** First character of a log. */
const startOfText = '\u0002'
/** Last character of a complete log. */
const endOfText = '\u0003'

/** Wording of each action in the logs of plans and applies. */
const actionTexts = {
  create: { plan: 'create', plain: 'will be created', start: 'Creating', end: 'Creation' },
  update: {
    plan: 'update',
    plain: 'will be updated in-place',
    start: 'Modifying',
    end: 'Modifications',
  },
  delete: { plan: 'delete', plain: 'will be destroyed', start: 'Destroying', end: 'Destruction' },
  replace: { plan: 'replace', plain: 'must be replaced', start: 'Creating', end: 'Creation' },
  read: { plan: 'read', plain: 'will be read during apply', start: 'Reading', end: 'Read' },
  import: { plan: 'import', plain: 'will be imported', start: 'Importing', end: 'Import' },
} as const

type Action = keyof typeof actionTexts

/** A change as logs show it. Logs show an import as the action `import`. */
interface LoggedChange extends Omit<ResourceChange, 'action'> {
  readonly action: Action
}

/** Returns the changes of a plan as logs show them, without resources that stay unchanged. */
function loggedChanges({ resources }: RunPlan): LoggedChange[] {
  return resources.filter(isChange).map((change) => {
    const { action } = change
    return { ...change, action: action === 'no-op' ? 'import' : action }
  })
}

/** Product names, which depend on the dialect. */
interface LogNames {
  readonly product: string
  /** Product name in lower case, for member names. */
  readonly tool: string
}

/** One log line, as plain text and as JSON. */
interface LogLine {
  readonly message: string
  readonly level?: 'error'
  readonly members: object
  /** Lines to print if the log is plain text. */
  readonly plain: readonly string[]
}

/**
 * Returns the current log of a plan or an apply by its id. The log is empty before the plan or
 * apply starts. Returns undefined if the id is unknown.
 */
export function runLogOf(world: World, id: string, dialect: DialectName): string | undefined {
  const run = runWithPart(world, id)
  if (run === undefined) return undefined
  const kind = run.plan.id === id ? 'plan' : 'apply'
  const { status, reached } = run[kind]
  if (reached.started_at === undefined) return ''
  const names =
    dialect === 'vendor'
      ? { product: 'Terraform', tool: 'terraform' }
      : { product: 'Infra', tool: 'infra' }
  const head = [
    `${names.product} v${run.infra_version}`,
    'on linux_amd64',
    'Initializing plugins and modules...',
  ]
  const isRunning = status === 'running'
  const start = reached.started_at
  const end = reached.finished_at ?? reached.errored_at ?? reached.canceled_at ?? start
  const lines = linesOf(world, run, kind, names, !isRunning)
  const texts = run.structured_output
    ? lines.map((line, index) => jsonLine(line, names, index === 0 ? start : end))
    : lines.flatMap(({ plain }) => plain)
  const text = [...head, ...texts].map((line) => `${line}\n`).join('')
  return `${startOfText}${text}${isRunning ? '' : endOfText}`
}

function jsonLine({ message, level, members }: LogLine, { tool }: LogNames, at: number): string {
  return JSON.stringify({
    '@level': level ?? 'info',
    '@message': message,
    '@module': `${tool}.ui`,
    '@timestamp': formatTimestamp(at),
    ...members,
  })
}

function linesOf(
  world: World,
  run: Run,
  kind: 'plan' | 'apply',
  names: LogNames,
  isOver: boolean,
): LogLine[] {
  const version = run.infra_version
  const head: LogLine = {
    message: `${names.product} ${version}`,
    members: { [names.tool]: version, type: 'version', ui: '1.2' },
    plain: [],
  }
  const plan = planOfRun(world, run)
  if (!isOver || plan === undefined) return [head]
  const { status } = run[kind]
  const added = addedLines(run, kind)
  if (status === 'canceled') return [head, ...added, interruptLine(names)]
  if (status === 'errored') return [head, ...added, ...failureLines(run, plan, kind)]
  return [head, ...added, ...(kind === 'plan' ? planLines(plan, names) : applyLines(run, plan))]
}

/** Returns the lines that the outcome adds to the log. */
function addedLines({ outcome }: Run, kind: 'plan' | 'apply'): LogLine[] {
  const { log } = outcome
  const text = typeof log === 'string' ? (kind === 'plan' ? log : undefined) : log?.[kind]
  if (text === undefined) return []
  return [{ message: text, members: { type: 'log' }, plain: [text] }]
}

function interruptLine({ product }: LogNames): LogLine {
  const message = `Interrupt received.\nPlease wait for ${product} to exit or data loss may occur.\nGracefully shutting down...`
  return { message, members: { type: 'log' }, plain: ['', message] }
}

function resourceMembers({ address }: Pick<ResourceChange, 'address'>) {
  const { module, localAddress, mode, type, name, key = null } = parseAddress(address)
  return {
    addr: address,
    module,
    resource: localAddress,
    implied_provider: type.split('_', 1)[0],
    resource_type: mode === 'data' ? `data.${type}` : type,
    resource_name: name,
    resource_key: key,
  }
}

function failureLines({ outcome }: Run, plan: RunPlan, kind: 'plan' | 'apply'): LogLine[] {
  const { summary = `The ${kind} failed`, detail = '' } = outcome.error ?? {}
  const start = kind === 'plan' ? [] : failedApplyLines(plan)
  return [
    ...start,
    {
      message: `Error: ${summary}`,
      level: 'error',
      members: { diagnostic: { severity: 'error', summary, detail }, type: 'diagnostic' },
      plain: ['', `Error: ${summary}`, '', detail],
    },
  ]
}

/**
 * Returns the lines about the changes that a failing apply completes, and about the change that
 * fails. Returns no lines if the plan has no changes.
 */
function failedApplyLines(plan: RunPlan): LogLine[] {
  const { finished, failing: failingChange } = firstHalfOf(plan)
  const failing = loggedChanges(plan).find(({ address }) => address === failingChange?.address)
  if (failing === undefined) return []
  const { address, action } = failing
  const hook = { resource: resourceMembers(failing), action }
  const startMessage = `${address}: ${actionTexts[action].start}...`
  return [
    ...loggedChanges(finished).flatMap(changeLines),
    { message: startMessage, members: { hook, type: 'apply_start' }, plain: [startMessage] },
    {
      message: `${address}: ${actionTexts[action].end} errored after 0s`,
      members: { hook: { ...hook, elapsed_seconds: 0 }, type: 'apply_errored' },
      plain: [],
    },
  ]
}

function planLines(plan: RunPlan, { product }: LogNames): LogLine[] {
  const changes = loggedChanges(plan)
  const { add, change, destroy, import: imported } = countsOf(plan)
  const importsFirst = imported === 0 ? '' : `${imported} to import, `
  const summary = `Plan: ${importsFirst}${add} to add, ${change} to change, ${destroy} to destroy.`
  const outputs = plan.outputs.filter(({ action }) => action !== 'no-op')
  const introLines = ['', `${product} will perform the following actions:`, '']
  const isEmpty = changes.length === 0 && outputs.length === 0
  return [
    ...changes.map(
      (one, index): LogLine => ({
        message: `${one.address}: Plan to ${actionTexts[one.action].plan}`,
        members: {
          change: { resource: resourceMembers(one), action: one.action },
          type: 'planned_change',
        },
        plain: [
          ...(index === 0 ? introLines : []),
          `  # ${one.address} ${actionTexts[one.action].plain}`,
        ],
      }),
    ),
    {
      message: summary,
      members: {
        changes: { add, import: imported, change, remove: destroy, operation: 'plan' },
        type: 'change_summary',
      },
      plain: isEmpty
        ? ['', 'No changes. Your infrastructure matches the configuration.']
        : ['', summary],
    },
    ...(outputs.length === 0
      ? []
      : [
          {
            message: `Outputs: ${outputs.length}`,
            members: {
              outputs: Object.fromEntries(
                outputs.map(({ name, action, sensitive }) => [
                  name,
                  { sensitive: sensitive === 'yes', action },
                ]),
              ),
              type: 'outputs',
            },
            plain: [],
          },
        ]),
  ]
}

function applyLines(run: Run, plan: RunPlan): LogLine[] {
  const counts = countsOf(plan)
  const { add, change, destroy } = counts
  const summary = run.is_destroy
    ? `Destroy complete! Resources: ${destroy} destroyed.`
    : `Apply complete! Resources: ${counts.import === 0 ? '' : `${counts.import} imported, `}${add} added, ${change} changed, ${destroy} destroyed.`
  const outputs = plan.outputs.filter(({ action }) => action !== 'delete')
  return [
    ...loggedChanges(plan).flatMap(changeLines),
    {
      message: summary,
      members: {
        changes: {
          add,
          import: counts.import,
          change,
          remove: destroy,
          operation: run.is_destroy ? 'destroy' : 'apply',
        },
        type: 'change_summary',
      },
      plain: ['', summary],
    },
    {
      message: `Outputs: ${outputs.length}`,
      members: {
        outputs: Object.fromEntries(
          outputs.map(({ name, after, sensitive }) => [
            name,
            { sensitive: sensitive === 'yes', type: stateValueType(after), value: after },
          ]),
        ),
        type: 'outputs',
      },
      plain:
        outputs.length === 0
          ? []
          : [
              '',
              'Outputs:',
              '',
              ...outputs.map(
                ({ name, after, sensitive }) =>
                  `${name} = ${sensitive === 'yes' ? '<sensitive>' : JSON.stringify(after)}`,
              ),
            ],
    },
  ]
}

/**
 * Returns the lines about one resource. For a replaced resource, the lines about the deletion come
 * before the lines about the creation.
 */
function changeLines(change: LoggedChange): LogLine[] {
  if (change.action !== 'replace') return stepLines(change)
  return (['delete', 'create'] as const).flatMap((action) => stepLines({ ...change, action }))
}

/** Returns the start and end lines of one action. */
function stepLines(change: LoggedChange): LogLine[] {
  const { action, address, before, after } = change
  const { start, end } = actionTexts[action]
  const id = String((action === 'delete' ? before : after)?.['id'] ?? before?.['id'] ?? '')
  const hook = { resource: resourceMembers(change), action }
  const [idAtStart, idAtEnd] = action === 'delete' ? [` [id=${id}]`, ''] : ['', ` [id=${id}]`]
  const complete = `${address}: ${end} complete after 0s${idAtEnd}`
  const startMessage = `${address}: ${start}...${idAtStart}`
  return [
    { message: startMessage, members: { hook, type: 'apply_start' }, plain: [startMessage] },
    {
      message: complete,
      members: {
        hook: {
          ...hook,
          ...(idAtEnd === '' ? {} : { id_key: 'id', id_value: id }),
          elapsed_seconds: 0,
        },
        type: 'apply_complete',
      },
      plain: [complete],
    },
  ]
}
