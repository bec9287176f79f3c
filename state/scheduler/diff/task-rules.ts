import {
  artifactShape,
  changeScriptShape,
  dispatchPayloadShape,
  logConfigShape,
  secretsShape,
  taskShape,
  templateShape,
  volumeMountShape,
} from '../job/task-shape.ts'
import { composite, document, object, objects, plain, textSet } from './compare.ts'
import { byContent, byMemberInOrder, byPosition, loneOr } from './pairing.ts'
import { constraintsAndAffinities, type Level, resources, services } from './shared-rules.ts'

const secrets = composite('Secrets', secretsShape, {
  objects: [['Policies', textSet('Policies')]],
})

const changeScript = composite('ChangeScript', changeScriptShape, {
  objects: [['Args', textSet('Args')]],
})

// The reference gives it the name of the object that it is in.
const wait = composite('Template', templateShape.fields.Wait.shape.to, {
  nullable: ['Min', 'Max'],
})

const template = composite('Template', templateShape, {
  optional: ['Uid', 'Gid'],
  objects: [
    ['Wait', object(wait)],
    ['ChangeScript', object(changeScript)],
  ],
})

export const taskLevel: Level = {
  fields: { shape: taskShape, without: ['Name'] },
  objects: [
    ...constraintsAndAffinities,
    ['Config', document('Config')],
    ['Resources', resources],
    ['LogConfig', object(plain('LogConfig', logConfigShape))],
    ['DispatchPayload', object(plain('DispatchPayload', dispatchPayloadShape))],
    ['Artifacts', objects(byContent, plain('Artifact', artifactShape))],
    ['Services', services],
    ['Secrets', object(secrets)],
    ['Templates', objects(loneOr(byMemberInOrder('DestPath')), template)],
    ['VolumeMounts', objects(byPosition, composite('VolumeMount', volumeMountShape))],
  ],
}
