/** Buttons for the picture of robots: what it is seen from, and taking it away. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { save } from './downloads.js';
import { record, type Recording } from './sharing.js';
import { HOME } from './robot-shot.js';
import type { RunData } from './run-data.js';
import { camera, compare, isComparing, isFan, isFollowing, isGhost, run, say } from './state.js';

/** Where robots are seen from. */
export function CameraButtons() {
  return (
    <>
      <button
        disabled={camera.value === HOME && isFollowing.value}
        onClick={resetCamera}
        aria-keyshortcuts="V"
        title="The camera as it was at first (V). Dragging turns it, the wheel moves it"
      >
        View
      </button>
      <button
        aria-pressed={isFollowing.value && !isFan.value}
        disabled={isFan.value}
        onClick={toggleFollowing}
        aria-keyshortcuts="L"
        title="Whether the camera goes where the robot goes (L)"
      >
        Follow
      </button>
      <button
        aria-pressed={isGhost.value && isComparing.value}
        onClick={toggleGhost}
        aria-keyshortcuts="G"
        title="The other preference as a ghost in the same picture (G)"
      >
        Ghost
      </button>
    </>
  );
}

export function resetCamera(): void {
  camera.value = HOME;
  isFollowing.value = true;
}

export function toggleFollowing(): void {
  isFollowing.value = !isFollowing.value;
}

/** Compares, where nothing is compared yet. */
export function toggleGhost(): void {
  isGhost.value = !(isGhost.value && isComparing.value);
  if (isGhost.value && !isComparing.value) compare(true);
}

export function RecordButton() {
  // With the run that it is of: another one may be shown when it ends.
  const recording = useRef<Recording & { readonly of: RunData }>(undefined);
  const [isRecording, setRecording] = useState(false);
  const finish = async () => {
    const ending = recording.current;
    recording.current = undefined;
    if (ending === undefined) return;
    const { video, extension } = await ending.stop();
    save(ending.of, `video.${extension}`, video);
  };
  const toggle = async () => {
    setRecording(!isRecording);
    try {
      if (isRecording) await finish();
      else {
        const of = run.value!;
        recording.current = { of, ...(await record()) };
      }
    } catch (error) {
      setRecording(false);
      say(`There is no video: ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
  // Whoever leaves the robot keeps what was recorded of it.
  useEffect(() => () => void finish(), []);
  return (
    <button onClick={() => void toggle()} aria-pressed={isRecording} title="A video of the robots, until it is stopped">
      {isRecording ? 'Stop and save' : 'Record'}
    </button>
  );
}
