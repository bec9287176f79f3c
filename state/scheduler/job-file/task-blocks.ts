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

/** The `resources` block of a task. */
export const resources = singleBlock(
  'Resources',
  shapeContents(resourcesShape, {
    blocks: {
      network,
      device: repeatedBlock('Devices', device, withLabel('', 'Name')),
    },
  }),
)

/** The `logs` block of a task. */
export const logs = singleBlock('LogConfig', shapeContents(logConfigShape))

/** The `volume_mount` block of a task. */
export const volumeMount = repeatedBlock('VolumeMounts', shapeContents(volumeMountShape))

const identityArguments = shapeContents(identityShape)
/** The `identity` block of a task. */
export const identity = repeatedBlock('Identities', identityArguments)
/** The `identity` block of a service. */
export const serviceIdentity = singleBlock('Identity', identityArguments)

/** The `artifact` block of a task. */
export const artifact = repeatedBlock('Artifacts', shapeContents(artifactShape))

const SPLAY = 5_000_000_000

const changeScript = shapeContents(changeScriptShape, {
  defaults: { Args: [], Timeout: SPLAY, FailOnError: false },
})

/** The `template` block of a task. */
export const template = repeatedBlock(
  'Templates',
  shapeContents(templateShape, {
    blocks: { change_script: singleBlock('ChangeScript', changeScript) },
    defaults: { ChangeMode: 'restart', Perms: '0644', Splay: SPLAY, ErrMissingKey: false },
  }),
)

/** The `secrets` block of a job, group or task: its access to the secrets service. */
export const secrets = singleBlock(
  'Secrets',
  shapeContents(secretsShape, {
    defaults: { Env: true, DisableFile: false, ChangeMode: 'restart' },
  }),
  { vendor: 'vault' },
)

/** The `mesh` block of a group or task. */
export const mesh = singleBlock('Mesh', shapeContents(meshPlaceShape), { vendor: 'consul' })

/** The `action` block of a task. */
export const action = repeatedBlock(
  'Actions',
  shapeContents(actionShape, {
    arguments: args('string', 'command', { definite: true, required: true }),
  }),
  withLabel('name', 'Name'),
)

/** The `schedule` block of a task. */
export const schedule = singleBlock('Schedule', shapeContents(scheduleShape))
