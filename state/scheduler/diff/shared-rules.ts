import { weightsShape } from '../job/kept-shapes.ts'
import {
  affinityShape,
  constraintShape,
  deviceShape,
  networkShape,
  resourcesShape,
} from '../job/scheduling-shapes.ts'
import { checkRestartShape, checkShape, serviceShape } from '../job/service-shapes.ts'
import {
  composite,
  document,
  type MemberComparisons,
  object,
  objects,
  plain,
  textLists,
  textSet,
} from './compare.ts'
import { connectMembers } from './connect-rules.ts'
import type { FieldRule } from './flatten.ts'
import { byContent, byMember, loneOr } from './pairing.ts'
import { byLikeness } from './service-pairing.ts'

/**
 * The parts of a job, group or task that are compared (behaviour/scheduler#diff,
 * Contextual). Here is what several of them have.
 */
export interface Level {
  readonly fields: FieldRule
  readonly objects: MemberComparisons
}

export const constraintsAndAffinities: MemberComparisons = [
  ['Constraints', objects(byContent, plain('Constraint', constraintShape))],
  ['Affinities', objects(byContent, plain('Affinity', affinityShape))],
]

const portShape = networkShape.fields.ReservedPorts.shape.of
const staticPort = plain('Static Port', portShape)
const dynamicPort = plain('Dynamic Port', portShape, {
  without: ['Value', 'IgnoreCollision'],
})

export const networks = objects(
  byContent,
  composite('Network', networkShape, {
    without: ['Device', 'CIDR', 'IP', 'MBits'],
    objects: [
      ['ReservedPorts', objects(byMember('Label'), staticPort)],
      ['DynamicPorts', objects(byMember('Label'), dynamicPort)],
      ['DNS', textLists('DNS')],
    ],
  }),
)

export const resources = object(
  composite('Resources', resourcesShape, {
    objects: [
      ['Networks', networks],
      ['Devices', objects(byMember('Name'), composite('Device', deviceShape))],
    ],
  }),
)

const check = composite('Check', checkShape, {
  objects: [
    ['Header', document('Header')],
    ['CheckRestart', object(composite('CheckRestart', checkRestartShape))],
  ],
})

export const services = objects(
  loneOr(byLikeness),
  composite('Service', serviceShape, {
    objects: [
      ['CanaryTags', textSet('CanaryTags')],
      ['Tags', textSet('Tags')],
      ['Checks', objects(byMember('Name'), check)],
      ...connectMembers(resources),
      ['Weights', object(plain('Weights', weightsShape.to))],
    ],
  }),
)
