import { formatRange } from '../../hcl/syntax/source.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import {
  all,
  anything,
  type BlockRule,
  definite,
  type Finishing,
  type Labelled,
  labelled,
  many,
  one,
  plain,
  texts,
} from './schema.ts'

const shortForms = all(
  'string',
  'version->RTarget semver->RTarget regexp->RTarget set_contains_any->RTarget set_contains_all->RTarget set_contains->RTarget',
  { short: true },
)
const comparison = all('string', 'attribute->LTarget value->RTarget operator->Operand')

/** `constraint` of a job, group, task or device (3b-scheduler-decisions.md section 9, Blocks). */
export const constraint = many(
  'Constraints',
  plain(
    {
      ...comparison,
      ...shortForms,
      ...all('bool', 'distinct_hosts->RTarget', { short: true }),
      ...all('string', 'distinct_property->LTarget', { short: true }),
      // The reference reads these two and does nothing about them.
      is_set: { type: 'string', member: undefined },
      is_not_set: { type: 'string', member: undefined },
    },
    { defaults: { Operand: '=' }, wording: 'specification' },
  ),
)

/** `affinity` of a job, group, task or device. */
export const affinity = many(
  'Affinities',
  plain(
    { ...comparison, ...all('int', 'weight'), ...shortForms },
    { defaults: { Operand: '=' }, wording: 'specification' },
  ),
)

/** `spread` of a job or group. */
export const spread = many('Spreads', {
  arguments: { ...definite('string', 'attribute'), ...all('int8', 'weight') },
  blocks: {
    target: many('SpreadTarget', plain(definite('uint8', 'percent')), labelled('', 'Value')),
  },
})

/** `update` of a job or group. */
export const update = one(
  'Update',
  plain({
    ...all('duration', 'stagger min_healthy_time healthy_deadline progress_deadline'),
    ...all('int', 'max_parallel canary'),
    ...all('string', 'health_check'),
    ...all('bool', 'auto_revert auto_promote'),
  }),
)

/** `migrate` of a job or group. */
export const migrate = one(
  'Migrate',
  plain({
    ...all('int', 'max_parallel'),
    ...all('string', 'health_check'),
    ...all('duration', 'min_healthy_time healthy_deadline'),
  }),
)

const rescheduling = plain({
  ...all('int', 'attempts'),
  ...all('duration', 'interval delay max_delay'),
  ...all('string', 'delay_function'),
  ...all('bool', 'unlimited'),
})
/** `reschedule` of a group. */
export const reschedule = one('ReschedulePolicy', rescheduling)
/** `reschedule` of a job, which its groups take over. */
export const jobReschedule = one('Reschedule', rescheduling)

/** `restart` of a group or task. */
export const restart = one(
  'RestartPolicy',
  plain({
    ...all('int', 'attempts'),
    ...all('duration', 'interval delay'),
    ...all('string', 'mode'),
    ...all('bool', 'render_templates'),
  }),
)

/** `periodic` of a job. */
export const periodic = one(
  'Periodic',
  plain(
    {
      ...all('bool', 'enabled prohibit_overlap'),
      ...all('string', 'cron->Spec time_zone'),
      ...all('list of string', 'crons->Specs'),
    },
    {
      finish: (object) => {
        const { Spec = null, Specs = null } = object
        if (Spec !== null || Specs !== null) object.SpecType = 'cron'
      },
    },
  ),
)

/** `parameterized` of a job. */
export const parameterized = one(
  'ParameterizedJob',
  plain({
    ...definite('string', 'payload'),
    ...all('list of string', 'meta_required meta_optional'),
  }),
)

/** `multiregion` of a job. */
export const multiregion = one('Multiregion', {
  arguments: {},
  blocks: {
    strategy: one(
      'Strategy',
      plain({ ...all('int', 'max_parallel'), ...all('string', 'on_failure') }),
    ),
    region: many(
      'Regions',
      {
        arguments: {
          ...all('int', 'count'),
          ...all('list of string', 'datacenters'),
          ...definite('string', 'node_pool'),
        },
        blocks: { meta: one('Meta', texts) },
      },
      labelled('', 'Name'),
    ),
  },
})

const port = plain({
  ...definite('int', 'static->Value to'),
  ...definite('string', 'host_network'),
  ...definite('bool', 'ignore_collision'),
})

/** `network` of a group or, as in old files, of a task's resources. */
export const network = many('Networks', {
  arguments: {
    ...definite('string', 'mode device cidr->CIDR ip->IP hostname'),
    ...all('int', 'mbits->MBits'),
  },
  blocks: {
    port: many('DynamicPorts', port, labelled('', 'Label')),
    reserved_ports: many('ReservedPorts', port, labelled('', 'Label')),
    dns: one('DNS', plain(all('list of string', 'servers searches options'))),
    cni: one('CNI', plain(all('map of string', 'args'))),
  },
  finish: splitPorts,
})

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

const bounds = {
  ...all('int', 'min max'),
  ...all('bool', 'enabled'),
  ...definite('string', 'type'),
}
const policy = { policy: one('Policy', anything) }

/** `scaling` of a group. */
export const groupScaling = one('Scaling', {
  arguments: bounds,
  blocks: policy,
  finish: checkGroupScaling,
})

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
  { arguments: bounds, blocks: policy, finish: setVerticalType },
  {
    label: { name: 'name', member: '' },
    select: eachLabelOnce,
  },
)

function eachLabelOnce<B extends Labelled>(
  blocks: readonly B[],
  report: Finishing['report'],
): readonly B[] {
  const seen = new Map<string, B>()
  for (const block of blocks) {
    const [label] = block.labels
    const name = label?.value.toLowerCase() ?? ''
    const earlier = seen.get(name)
    if (!verticalTypes.has(name)) {
      report({
        summary: 'Invalid scaling policy name',
        detail: 'scaling policy name must be "cpu" or "mem"',
        range: label?.range ?? block.range,
      })
    } else if (earlier !== undefined) {
      report({
        summary: `Duplicate scaling ${JSON.stringify(name)} block`,
        detail: `Only one scaling ${name} block is allowed. Another was defined at ${formatRange(earlier.range)}.`,
        range: block.range,
      })
    } else seen.set(name, block)
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
