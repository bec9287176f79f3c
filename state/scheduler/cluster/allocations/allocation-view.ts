import type { World } from '../../../kernel/worlds/world.ts'
import { signingKeyId } from '../../signing-key.ts'
import type { Allocation, AllocationView } from '../model/allocation-shapes.ts'
import { legacyResources } from './allocation-resources.ts'

/** Returns a full allocation as the API shows it. */
export function allocationView(world: World, allocation: Allocation): AllocationView {
  const legacy = world.derived(allocation, legacyResources)
  const SigningKeyID = signingKeyId(world, allocation.CreateIndex)
  return { ...allocation, ...legacy, SigningKeyID }
}
