import {
  any,
  bool,
  duration,
  goList,
  goMap,
  int,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'

/**
 * Members of jobs that are kept and told as they were sent, and never invented
 * (behaviour/scheduler#differences): their types are the reference's, so that what it could not
 * read is refused here, too.
 */

/** What becomes of a group's allocations while their node is away. */
export const disconnectShape = nullable(
  struct('DisconnectStrategy', {
    LostAfter: optional(nullable(duration)),
    StopOnClientAfter: optional(nullable(duration)),
    Replace: optional(nullable(bool)),
    Reconcile: optional(nullable(text)),
  }),
)

/** Where in the mesh a group or a task belongs. */
export const meshPlaceShape = nullable(
  struct(
    'MeshPlace',
    {
      Namespace: optional(text),
      Cluster: optional(text),
      Partition: optional(text),
    },
    'Consul',
  ),
)

/** Commands that can be run in a task. */
export const actionsShape = goList(
  nullable(
    struct('Action', {
      Name: optional(text),
      Command: optional(text),
      Args: optional(goList(text)),
    }),
  ),
)

/** When a task runs. */
export const scheduleShape = nullable(
  struct('TaskSchedule', {
    Cron: optional(
      nullable(
        struct('TaskScheduleCron', {
          Start: optional(text),
          End: optional(text),
          Timezone: optional(text),
        }),
      ),
    ),
  }),
)

/** How often a service is chosen. */
export const weightsShape = nullable(
  struct('ServiceWeights', { Passing: optional(int), Warning: optional(int) }),
)

/** How a service belongs to the mesh. */
export const connectShape = nullable(
  struct(
    'MeshConnect',
    {
      Native: optional(bool),
      Gateway: optional(any),
      SidecarService: optional(
        nullable(
          struct(
            'MeshSidecarService',
            {
              Tags: optional(goList(text)),
              Port: optional(text),
              Proxy: optional(any),
              DisableDefaultTCPCheck: optional(bool),
              Meta: optional(goMap(text)),
            },
            'ConsulSidecarService',
          ),
        ),
      ),
      SidecarTask: optional(any),
    },
    'ConsulConnect',
  ),
)
