import type { ApiName } from '../../../../src/api-names.ts'
import { meshSamples } from './mesh.ts'
import { platformSamples } from './platform.ts'
import type { Samples } from './sample.ts'
import { schedulerSamples } from './scheduler.ts'
import { secretsSamples } from './secrets.ts'

export const samples: Readonly<Record<ApiName, Samples>> = {
  secrets: secretsSamples,
  platform: platformSamples,
  mesh: meshSamples,
  scheduler: schedulerSamples,
}
