import { deviceShape, meshPlaceShape, resourcesShape } from '../job/scheduling-shapes.ts'
import { identityShape } from '../job/service-shapes.ts'
import {
  actionShape,
  artifactShape,
  changeScriptShape,
  logConfigShape,
  scheduleShape,
  secretsShape,
  templateShape,
  volumeMountShape,
} from '../job/task-parts.ts'
import { affinity, constraint, network } from './scheduling-blocks.ts'
import { args, repeatedBlock, singleBlock, withLabel } from './schema.ts'
import { shapeContents } from './shape-contents.ts'

const device = shapeContents(deviceShape, { blocks: { constraint, affinity } })

/** `resources` of a task. */
export const resources = singleBlock(
  'Resources',
  shapeContents(resourcesShape, {
    blocks: {
      network,
      device: repeatedBlock('Devices', device, withLabel('', 'Name')),
    },
  }),
)

/** `logs` of a task. */
export const logs = singleBlock('LogConfig', shapeContents(logConfigShape))

/** `volume_mount` of a task. */
export const volumeMount = repeatedBlock('VolumeMounts', shapeContents(volumeMountShape))

const identityArguments = shapeContents(identityShape)
/** `identity` of a task. */
export const identity = repeatedBlock('Identities', identityArguments)
/** `identity` of a service. */
export const serviceIdentity = singleBlock('Identity', identityArguments)

/** `artifact` of a task. */
export const artifact = repeatedBlock('Artifacts', shapeContents(artifactShape))

const SPLAY = 5_000_000_000

const changeScript = shapeContents(changeScriptShape, {
  defaults: { Args: [], Timeout: SPLAY, FailOnError: false },
})

/** `template` of a task. */
export const template = repeatedBlock(
  'Templates',
  shapeContents(templateShape, {
    blocks: { change_script: singleBlock('ChangeScript', changeScript) },
    defaults: { ChangeMode: 'restart', Perms: '0644', Splay: SPLAY, ErrMissingKey: false },
  }),
)

/** `secrets` of a job, group or task: its access to the secrets service. */
export const secrets = singleBlock(
  'Secrets',
  shapeContents(secretsShape, {
    defaults: { Env: true, DisableFile: false, ChangeMode: 'restart' },
  }),
  { vendor: 'vault' },
)

/** `mesh` of a group or task. */
export const mesh = singleBlock('Mesh', shapeContents(meshPlaceShape), { vendor: 'consul' })

/** `action` of a task. */
export const action = repeatedBlock(
  'Actions',
  shapeContents(actionShape, {
    arguments: args('string', 'command', { definite: true, required: true }),
  }),
  withLabel('name', 'Name'),
)

/** `schedule` of a task. */
export const schedule = singleBlock('Schedule', shapeContents(scheduleShape))
