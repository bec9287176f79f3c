import { formatRange } from '../../hcl/syntax/source.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import {
  affinityShape,
  constraintShape,
  migrateShape,
  multiregionShape,
  networkShape,
  parameterizedShape,
  periodicShape,
  portShape,
  regionShape,
  reschedulePolicyShape,
  restartPolicyShape,
  scalingShape,
  spreadShape,
  spreadTargetShape,
  updateShape,
} from '../job/scheduling-shapes.ts'
import {
  all,
  anything,
  type BlockRule,
  type Finishing,
  labelled,
  many,
  one,
  plain,
  type ScopedBlock,
} from './schema.ts'
import { tableOf } from './table.ts'

const shortForms = all(
  'string',
  'version->RTarget semver->RTarget regexp->RTarget set_contains_any->RTarget set_contains_all->RTarget set_contains->RTarget',
  { short: true },
)

/** `constraint` of a job, group, task or device (behaviour/scheduler#job-file-blocks). */
export const constraint = many(
  'Constraints',
  tableOf(constraintShape, {
    arguments: {
      ...shortForms,
      ...all('bool', 'distinct_hosts->RTarget', { short: true }),
      ...all('string', 'distinct_property->LTarget', { short: true }),
      // The reference reads these two and does nothing about them.
      is_set: { type: 'string', member: undefined },
      is_not_set: { type: 'string', member: undefined },
    },
    defaults: { Operand: '=' },
    wording: 'specification',
  }),
)

/** `affinity` of a job, group, task or device. */
export const affinity = many(
  'Affinities',
  tableOf(affinityShape, {
    arguments: shortForms,
    defaults: { Operand: '=' },
    wording: 'specification',
  }),
)

const spreadTarget = many('SpreadTarget', tableOf(spreadTargetShape), labelled('', 'Value'))
/** `spread` of a job or group. */
export const spread = many('Spreads', tableOf(spreadShape, { blocks: { target: spreadTarget } }))

/** `update` of a job or group. */
export const update = one('Update', tableOf(updateShape))

/** `migrate` of a job or group. */
export const migrate = one('Migrate', tableOf(migrateShape))

const rescheduling = tableOf(reschedulePolicyShape)
/** `reschedule` of a group. */
export const reschedule = one('ReschedulePolicy', rescheduling)
/** `reschedule` of a job, which its groups take over. */
export const jobReschedule = one('Reschedule', rescheduling)

/** `restart` of a group or task. */
export const restart = one('RestartPolicy', tableOf(restartPolicyShape))

/** `periodic` of a job. */
export const periodic = one(
  'Periodic',
  tableOf(periodicShape, {
    finish: (object) => {
      const { Spec = null, Specs = null } = object
      if (Spec !== null || Specs !== null) object.SpecType = 'cron'
    },
  }),
)

/** `parameterized` of a job. */
export const parameterized = one('ParameterizedJob', tableOf(parameterizedShape))

/** `multiregion` of a job. */
export const multiregion = one(
  'Multiregion',
  tableOf(multiregionShape, {
    blocks: { region: many('Regions', tableOf(regionShape), labelled('', 'Name')) },
  }),
)

const port = tableOf(portShape)

/** `network` of a group or, as in old files, of a task's resources. */
export const network = many(
  'Networks',
  tableOf(networkShape, {
    blocks: {
      port: many('DynamicPorts', port, labelled('', 'Label')),
      reserved_ports: many('ReservedPorts', port, labelled('', 'Label')),
      cni: one('CNI', plain(all('map of string', 'args'))),
    },
    finish: splitPorts,
  }),
)

/** Ports with a number are reserved, the others are not. */
function splitPorts(object: JsonObject): void {
  const ports = object.DynamicPorts
  if (!Array.isArray(ports)) return
  const isReserved = (one: Json): boolean => isJsonObject(one) && Number(one.Value ?? 0) > 0
  const reserved = ports.filter(isReserved)
  const others = ports.filter((one) => !isReserved(one))
  object.ReservedPorts = reserved.length > 0 ? reserved : null
  object.DynamicPorts = others.length > 0 ? others : null
}

const policy = { policy: one('Policy', anything) }

/** `scaling` of a group. */
export const groupScaling = one(
  'Scaling',
  tableOf(scalingShape, { blocks: policy, finish: checkGroupScaling }),
)

function checkGroupScaling(object: JsonObject, context: Finishing): void {
  const { Max = null, Type = null } = object
  if (Max === null && context.valueRange('max') === undefined) {
    context.report(context.missing('max'))
  }
  const range = context.valueRange('type')
  if (range === undefined || Type === null || Type === '' || Type === 'horizontal') return
  context.report({
    summary: 'Invalid group scaling type',
    detail: `task group scaling policy had invalid type: ${JSON.stringify(Type)}`,
    range,
  })
}

/** The types of a task's `scaling` block, by its label. */
const verticalTypes: ReadonlyMap<string, string> = new Map([
  ['cpu', 'vertical_cpu'],
  ['mem', 'vertical_mem'],
])

/** `scaling "cpu"` and `scaling "mem"` of a task. */
export const taskScaling: BlockRule = many(
  'ScalingPolicies',
  tableOf(scalingShape, { blocks: policy, finish: setVerticalType }),
  {
    label: { name: 'name', member: '', soughtTwice: true },
    select: eachLabelOnce,
  },
)

function eachLabelOnce(
  blocks: readonly ScopedBlock[],
  report: Finishing['report'],
): readonly ScopedBlock[] {
  const seen = new Map<string, ScopedBlock>()
  for (const scoped of blocks) {
    const { labels, range } = scoped.block
    const [label] = labels
    const name = label?.value.toLowerCase() ?? ''
    const earlier = seen.get(name)
    if (!verticalTypes.has(name)) {
      report({
        summary: 'Invalid scaling policy name',
        detail: 'scaling policy name must be "cpu" or "mem"',
        range: label?.range ?? range,
      })
    } else if (earlier !== undefined) {
      report({
        summary: `Duplicate scaling ${JSON.stringify(name)} block`,
        detail: `Only one scaling ${name} block is allowed. Another was defined at ${formatRange(earlier.block.range)}.`,
        range,
      })
    } else seen.set(name, scoped)
  }
  return [...seen.values()]
}

function setVerticalType(object: JsonObject, { label, range, report }: Finishing): void {
  const wanted = verticalTypes.get(label.toLowerCase()) ?? ''
  const { Type = null } = object
  if (Type !== null && Type !== '' && Type !== wanted) {
    report({
      summary: 'Invalid scaling policy type',
      detail: `Invalid policy type, expected ${JSON.stringify(Type)} but found ${JSON.stringify(wanted)}`,
      range,
    })
  }
  object.Type = wanted
}
