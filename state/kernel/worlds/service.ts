import type { TransitionKindOf } from '../time/transitions.ts'
import type { JobHandlerOf, ServiceDefinitionOf } from './service-definition.ts'
import type { World } from './world.ts'

/** Everything that one API adds to every world. */
export type ServiceDefinition = ServiceDefinitionOf<World>

/** A function that carries out a scheduled job, inside its own transaction. */
export type JobHandler = JobHandlerOf<World>

/** One kind of object whose states can be forced. */
export type TransitionKind = TransitionKindOf<World>
