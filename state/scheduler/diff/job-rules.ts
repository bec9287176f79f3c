import { jobShape } from '../job/job-shape.ts'
import { multiregionShape, parameterizedShape, periodicShape } from '../job/scheduling-shapes.ts'
import { composite, object, objects, plain, textSet } from './compare.ts'
import { byMember } from './pairing.ts'
import { constraintsAndAffinities, type Level } from './shared-rules.ts'

const datacenters = textSet('Datacenters', { ifEqual: 'omitted' })

const strategyShape = multiregionShape.fields.Strategy.shape.to
const regionShape = multiregionShape.fields.Regions.shape.of
const region = plain('Region', regionShape, { objects: [['Datacenters', datacenters]] })

const periodic = composite('Periodic', periodicShape, {
  objects: [['Specs', textSet('Specs', { ifEqual: 'omitted' })]],
})

const parameterized = composite('ParameterizedJob', parameterizedShape, {
  objects: [
    ['MetaOptional', textSet('MetaOptional')],
    ['MetaRequired', textSet('MetaRequired')],
  ],
})

const multiregion = composite('Multiregion', multiregionShape, {
  sorted: true,
  objects: [
    ['Strategy', object(plain('Strategy', strategyShape))],
    ['Regions', objects(byMember('Name'), region)],
  ],
})

export const jobLevel: Level = {
  fields: {
    shape: jobShape,
    without: [
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
    ['Periodic', object(periodic)],
    ['ParameterizedJob', object(parameterized)],
    ['Multiregion', object(multiregion)],
  ],
}
