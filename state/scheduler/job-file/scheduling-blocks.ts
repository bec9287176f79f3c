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
  anyValues,
  argumentRules,
  type BlockRule,
  type PostprocessContext,
  repeatedBlock,
  type ScopedBlock,
  singleBlock,
  withLabel,
} from './schema.ts'
import { shapeContents } from './shape-contents.ts'

const shortForms = argumentRules(
  'string',
  'version->RTarget semver->RTarget regexp->RTarget set_contains_any->RTarget set_contains_all->RTarget set_contains->RTarget',
  { isShortForm: true },
)

/** The `constraint` block of a job, group, task or device (behaviour/scheduler#job-file-blocks). */
export const constraint = repeatedBlock(
  'Constraints',
  shapeContents(constraintShape, {
    arguments: {
      ...shortForms,
      ...argumentRules('bool', 'distinct_hosts->RTarget', { isShortForm: true }),
      ...argumentRules('string', 'distinct_property->LTarget', { isShortForm: true }),
      // The reference accepts these two arguments but ignores them.
      is_set: { type: 'string', member: undefined },
      is_not_set: { type: 'string', member: undefined },
    },
    defaults: { Operand: '=' },
    wording: 'specification',
  }),
)

/** The `affinity` block of a job, group, task or device. */
export const affinity = repeatedBlock(
  'Affinities',
  shapeContents(affinityShape, {
    arguments: shortForms,
    defaults: { Operand: '=' },
    wording: 'specification',
  }),
)

const spreadTarget = repeatedBlock(
  'SpreadTarget',
  shapeContents(spreadTargetShape),
  withLabel('', 'Value'),
)
/** The `spread` block of a job or group. */
export const spread = repeatedBlock(
  'Spreads',
  shapeContents(spreadShape, { blocks: { target: spreadTarget } }),
)

/** The `update` block of a job or group. */
export const update = singleBlock('Update', shapeContents(updateShape))

/** The `migrate` block of a job or group. */
export const migrate = singleBlock('Migrate', shapeContents(migrateShape))

const reschedulePolicy = shapeContents(reschedulePolicyShape)
/** The `reschedule` block of a group, stored in `ReschedulePolicy`. */
export const reschedule = singleBlock('ReschedulePolicy', reschedulePolicy)
/** The `reschedule` block of a job, stored in `Reschedule`. Groups inherit the block. */
export const jobReschedule = singleBlock('Reschedule', reschedulePolicy)

/** The `restart` block of a group or task. */
export const restart = singleBlock('RestartPolicy', shapeContents(restartPolicyShape))

export const periodic = singleBlock(
  'Periodic',
  shapeContents(periodicShape, {
    postprocess: (object) => {
      const { Spec = null, Specs = null } = object
      if (Spec !== null || Specs !== null) object.SpecType = 'cron'
    },
  }),
)

export const parameterized = singleBlock('ParameterizedJob', shapeContents(parameterizedShape))

export const multiregion = singleBlock(
  'Multiregion',
  shapeContents(multiregionShape, {
    blocks: { region: repeatedBlock('Regions', shapeContents(regionShape), withLabel('', 'Name')) },
  }),
)

const port = shapeContents(portShape)

/**
 * The `network` block of a group. In old files, the `resources` block of a task may contain
 * `network` blocks as well.
 */
export const network = repeatedBlock(
  'Networks',
  shapeContents(networkShape, {
    blocks: {
      port: repeatedBlock('DynamicPorts', port, withLabel('', 'Label')),
      reserved_ports: repeatedBlock('ReservedPorts', port, withLabel('', 'Label')),
      cni: singleBlock(
        'CNI',
        shapeContents(networkShape.fields.CNI.shape.to, {
          arguments: argumentRules('map of string', 'args'),
          blocks: {},
        }),
      ),
    },
    postprocess: splitPorts,
  }),
)

/** Moves ports with a static number from `DynamicPorts` to `ReservedPorts`. */
function splitPorts(object: JsonObject): void {
  const ports = object.DynamicPorts
  if (!Array.isArray(ports)) return
  const isReserved = (port: Json): boolean => isJsonObject(port) && Number(port.Value ?? 0) > 0
  const reservedPorts = ports.filter(isReserved)
  const others = ports.filter((port) => !isReserved(port))
  object.ReservedPorts = reservedPorts.length > 0 ? reservedPorts : null
  object.DynamicPorts = others.length > 0 ? others : null
}

const policy = { policy: singleBlock('Policy', anyValues) }

export const groupScaling = singleBlock(
  'Scaling',
  shapeContents(scalingShape, { blocks: policy, postprocess: checkGroupScaling }),
)

function checkGroupScaling(object: JsonObject, context: PostprocessContext): void {
  const { Max = null, Type = null } = object
  if (Max === null && context.valueRange('max') === undefined) {
    context.report(context.missing('max'))
  }
  object.Type = Type || 'horizontal'
  const range = context.valueRange('type')
  if (range === undefined || Type === null || Type === '' || Type === 'horizontal') return
  context.report({
    summary: 'Invalid group scaling type',
    detail: `task group scaling policy had invalid type: ${JSON.stringify(Type)}`,
    range,
  })
}

/** Types of the scaling policies of tasks, by the label of the `scaling` block. */
const verticalTypes: ReadonlyMap<string, string> = new Map([
  ['cpu', 'vertical_cpu'],
  ['mem', 'vertical_mem'],
])

/** The blocks `scaling "cpu"` and `scaling "mem"` of a task. */
export const taskScaling: BlockRule = repeatedBlock(
  'ScalingPolicies',
  shapeContents(scalingShape, { blocks: policy, postprocess: setVerticalType }),
  {
    label: { name: 'name', member: '', isReportedTwice: true },
    select: uniqueLabels,
  },
)

function uniqueLabels(blocks: readonly ScopedBlock[], report: PostprocessContext['report']) {
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

function setVerticalType(object: JsonObject, { label, range, report }: PostprocessContext): void {
  const expectedType = verticalTypes.get(label.toLowerCase()) ?? ''
  const { Type = null } = object
  if (Type !== null && Type !== '' && Type !== expectedType) {
    report({
      summary: 'Invalid scaling policy type',
      detail: `Invalid policy type, expected ${JSON.stringify(Type)} but found ${JSON.stringify(expectedType)}`,
      range,
    })
  }
  object.Type = expectedType
}
