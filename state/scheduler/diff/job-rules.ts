import { jobShape } from '../job/job-shape.ts'
import { multiregionShape, parameterizedShape, periodicShape } from '../job/scheduling-shapes.ts'
import {
  compareItems,
  compareObject,
  compareStringSet,
  compositeRule,
  plainRule,
} from './compare.ts'
import { byMember } from './pairing.ts'
import { type ComparisonLevel, constraintsAndAffinities } from './shared-rules.ts'

const datacenters = compareStringSet('Datacenters', { ifEqual: 'omitted' })

const strategyShape = multiregionShape.fields.Strategy.shape.to
const regionShape = multiregionShape.fields.Regions.shape.of
const region = plainRule('Region', regionShape, { objects: [['Datacenters', datacenters]] })

const periodicRule = compositeRule('Periodic', periodicShape, {
  objects: [['Specs', compareStringSet('Specs', { ifEqual: 'omitted' })]],
})

const parameterizedRule = compositeRule('ParameterizedJob', parameterizedShape, {
  objects: [
    ['MetaOptional', compareStringSet('MetaOptional')],
    ['MetaRequired', compareStringSet('MetaRequired')],
  ],
})

const multiregion = compositeRule('Multiregion', multiregionShape, {
  isSorted: true,
  objects: [
    ['Strategy', compareObject(plainRule('Strategy', strategyShape))],
    ['Regions', compareItems(byMember('Name'), region)],
  ],
})

export const jobLevel: ComparisonLevel = {
  fields: {
    shape: jobShape,
    excludedFields: [
      'ID',
      'Status',
      'StatusDescription',
      'Version',
      'Stable',
      'CreateIndex',
      'ModifyIndex',
      'JobModifyIndex',
      'SubmitTime',
      'SchedTokenID',
      'SecretsToken',
      'MeshToken',
    ],
  },
  objects: [
    ['Datacenters', datacenters],
    ...constraintsAndAffinities,
    ['Periodic', compareObject(periodicRule)],
    ['ParameterizedJob', compareObject(parameterizedRule)],
    ['Multiregion', compareObject(multiregion)],
  ],
}
