import {
  artifactShape,
  changeScriptShape,
  dispatchPayloadShape,
  logConfigShape,
  secretsShape,
  templateShape,
  volumeMountShape,
} from '../job/task-parts.ts'
import { taskShape } from '../job/task-shape.ts'
import {
  compareFlattened,
  compareItems,
  compareObject,
  compareStringSet,
  compositeRule,
  plainRule,
} from './compare.ts'
import { byContent, byMemberInOrder, byPosition, pairSinglesOr } from './pairing.ts'
import {
  type ComparisonLevel,
  constraintsAndAffinities,
  resources,
  services,
} from './shared-rules.ts'

const secrets = compositeRule('Secrets', secretsShape, {
  objects: [['Policies', compareStringSet('Policies')]],
})

const changeScript = compositeRule('ChangeScript', changeScriptShape, {
  objects: [['Args', compareStringSet('Args')]],
})

// As in the reference, the `Wait` block is listed with the name of the object that contains the
// block.
const wait = compositeRule('Template', templateShape.fields.Wait.shape.to, {
  nullable: ['Min', 'Max'],
})

const template = compositeRule('Template', templateShape, {
  pointersOfEitherSide: ['Uid', 'Gid'],
  objects: [
    ['Wait', compareObject(wait)],
    ['ChangeScript', compareObject(changeScript)],
  ],
})

export const taskLevel: ComparisonLevel = {
  fields: { shape: taskShape, excludedFields: ['Name'] },
  objects: [
    ...constraintsAndAffinities,
    ['Config', compareFlattened('Config')],
    ['Resources', resources],
    ['LogConfig', compareObject(plainRule('LogConfig', logConfigShape))],
    ['DispatchPayload', compareObject(plainRule('DispatchPayload', dispatchPayloadShape))],
    ['Artifacts', compareItems(byContent, plainRule('Artifact', artifactShape))],
    ['Services', services],
    ['Secrets', compareObject(secrets)],
    ['Templates', compareItems(pairSinglesOr(byMemberInOrder('DestPath')), template)],
    ['VolumeMounts', compareItems(byPosition, compositeRule('VolumeMount', volumeMountShape))],
  ],
}
