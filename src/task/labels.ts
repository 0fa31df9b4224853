import type { LabelNames } from '../config/config.js';
import type { LabelSpec } from '../ports.js';
import type { ConversationState } from '../records.js';

/** Which label shows which state. */
export function labelOfState(state: ConversationState, labels: LabelNames): string {
  const byState: Record<ConversationState, string> = {
    requested: labels.botLabel,
    processing: labels.processingLabel,
    'awaiting-response': labels.awaitingLabel,
    paused: labels.pausedLabel,
    completed: labels.doneLabel,
    stopped: labels.stoppedLabel,
    failed: labels.failedLabel,
  };
  return byState[state];
}

/** What to add and what to remove so that of the labels we own only `wanted` is left. Names are compared without case. */
export function labelChange(
  present: string[],
  wanted: string,
  labels: LabelNames,
): { add: string[]; remove: string[] } {
  const owned = ownedLabels(labels).map(fold);
  return {
    add: present.some((label) => fold(label) === fold(wanted)) ? [] : [wanted],
    remove: present.filter((label) => fold(label) !== fold(wanted) && owned.includes(fold(label))),
  };
}

export function hasLabel(item: { labels: string[] }, label: string): boolean {
  return item.labels.some((each) => fold(each) === fold(label));
}

function ownedLabels(labels: LabelNames): string[] {
  return labelSpecs(labels).map((spec) => spec.name);
}

/** The labels as they are created where they are missing. */
export function labelSpecs(labels: LabelNames): LabelSpec[] {
  return [
    { name: labels.botLabel, color: '1d76db', description: 'Put this on to have the coding agent work on it' },
    {
      name: labels.processingLabel,
      color: 'fbca04',
      description: 'The coding agent is at work; take it off to stop it',
    },
    { name: labels.awaitingLabel, color: 'c5def5', description: 'The coding agent waits for an answer in the thread' },
    { name: labels.doneLabel, color: '0e8a16', description: 'The coding agent has finished' },
    {
      name: labels.pausedLabel,
      color: 'd4c5f9',
      description: 'The coding agent was paused; take it off to let it go on',
    },
    { name: labels.stoppedLabel, color: 'e4e669', description: 'The coding agent was stopped' },
    { name: labels.failedLabel, color: 'b60205', description: 'The coding agent could not do it' },
  ];
}

function fold(label: string): string {
  return label.toLowerCase();
}
