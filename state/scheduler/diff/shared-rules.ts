import {
  affinityShape,
  constraintShape,
  deviceShape,
  networkShape,
  resourcesShape,
} from '../job/scheduling-shapes.ts'
import { checkRestartShape, checkShape, serviceShape, weightsShape } from '../job/service-shapes.ts'
import {
  compareFlattened,
  compareItems,
  compareObject,
  compareStringLists,
  compareStringSet,
  compositeRule,
  type MemberComparisons,
  plainRule,
} from './compare.ts'
import { connectMembers } from './connect-rules.ts'
import type { FieldRule } from './flatten.ts'
import { byContent, byMember, pairSinglesOr } from './pairing.ts'
import { bySimilarity } from './service-pairing.ts'

/**
 * Comparisons of the scalars and nested objects of one level: job, group or task
 * (behaviour/scheduler#diff).
 */
export interface ComparisonLevel {
  readonly fields: FieldRule
  readonly objects: MemberComparisons
}

export const constraintsAndAffinities: MemberComparisons = [
  ['Constraints', compareItems(byContent, plainRule('Constraint', constraintShape))],
  ['Affinities', compareItems(byContent, plainRule('Affinity', affinityShape))],
]

const portShape = networkShape.fields.ReservedPorts.shape.of
const staticPort = plainRule('Static Port', portShape)
const dynamicPort = plainRule('Dynamic Port', portShape, {
  excludedFields: ['Value', 'IgnoreCollision'],
})

export const networks = compareItems(
  byContent,
  compositeRule('Network', networkShape, {
    excludedFields: ['Device', 'CIDR', 'IP', 'MBits'],
    objects: [
      ['ReservedPorts', compareItems(byMember('Label'), staticPort)],
      ['DynamicPorts', compareItems(byMember('Label'), dynamicPort)],
      ['DNS', compareStringLists('DNS')],
    ],
  }),
)

export const resources = compareObject(
  compositeRule('Resources', resourcesShape, {
    objects: [
      ['Networks', networks],
      ['Devices', compareItems(byMember('Name'), compositeRule('Device', deviceShape))],
    ],
  }),
)

const check = compositeRule('Check', checkShape, {
  objects: [
    ['Header', compareFlattened('Header')],
    ['CheckRestart', compareObject(compositeRule('CheckRestart', checkRestartShape))],
  ],
})

export const services = compareItems(
  pairSinglesOr(bySimilarity),
  compositeRule('Service', serviceShape, {
    objects: [
      ['CanaryTags', compareStringSet('CanaryTags')],
      ['Tags', compareStringSet('Tags')],
      ['Checks', compareItems(byMember('Name'), check)],
      ...connectMembers(resources),
      ['Weights', compareObject(plainRule('Weights', weightsShape))],
    ],
  }),
)
