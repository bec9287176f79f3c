import type { TransitionKindOf } from '../time/transitions.ts'
import type { JobHandlerOf, ServiceDefinitionOf } from './service-definition.ts'
import type { World } from './world.ts'

/** What one API brings to every world. */
export type ServiceDefinition = ServiceDefinitionOf<World>

/** Does what an appointment asks for, inside a transaction of its own. */
export type JobHandler = JobHandlerOf<World>

/** A kind of thing that moves through states. */
export type TransitionKind = TransitionKindOf<World>
