import { SECOND } from '../../go/duration.ts'
import {
  any,
  bool,
  exactDuration,
  goList,
  goMap,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
import {
  createdBlock,
  filledIn,
  goValue,
  inFile,
  notInFile,
  secretAt,
  struct,
  vendorNamed,
  withDefault,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { driverName } from '../vendor-names.ts'
import {
  affinityShape,
  constraintShape,
  meshBlockShape,
  resourcesShape,
  restartPolicyShape,
  scalingShape,
} from './scheduling-shapes.ts'
import { identityShape, serviceShape } from './service-shapes.ts'
import {
  actionShape,
  artifactShape,
  csiPluginShape,
  dispatchPayloadShape,
  lifecycleShape,
  logConfigShape,
  scheduleShape,
  secretsShape,
  templateShape,
  volumeMountShape,
} from './task-parts.ts'

export const taskShape = struct('Task', {
  Name: goValue(notInFile(text)),
  Driver: goValue(driverName),
  User: goValue(text),
  // Configuration for the driver. Drivers accept the credentials of an image registry as a map or
  // as a list of blocks.
  Config: secretAt(['auth/password', 'auth/*/password'], goMap(any)),
  Env: goMap(text),
  Services: goList(serviceShape),
  Secrets: vendorNamed('Vault', nullable(secretsShape)),
  Templates: goList(templateShape),
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Resources: createdBlock(nullable(resourcesShape)),
  RestartPolicy: nullable(restartPolicyShape),
  DispatchPayload: nullable(dispatchPayloadShape),
  Lifecycle: nullable(lifecycleShape),
  Meta: goMap(text),
  KillTimeout: withDefault(exactDuration, 5 * SECOND),
  KillSignal: goValue(text),
  Kind: goValue(text),
  Leader: goValue(bool),
  LogConfig: createdBlock(nullable(logConfigShape)),
  Artifacts: goList(artifactShape),
  CSIPluginConfig: inFile('csi_plugin', nullable(csiPluginShape)),
  ScalingPolicies: goList(scalingShape),
  ShutdownDelay: goValue(exactDuration),
  VolumeMounts: goList(volumeMountShape),
  Identity: notInFile(filledIn(nullable(identityShape))),
  Identities: filledIn(goList(identityShape)),
  Actions: filledIn(goList(actionShape)),
  Schedule: filledIn(nullable(scheduleShape)),
  Mesh: vendorNamed('Consul', filledIn(nullable(meshBlockShape))),
})
export type Task = StoredOf<typeof taskShape>
export type InputTask = ParsedOf<typeof taskShape>
