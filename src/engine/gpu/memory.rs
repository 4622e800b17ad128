//! Buffers of a device: made, filled, bound and read back.

use std::sync::mpsc::{Receiver, channel};

use wgpu::{Buffer, BufferUsages, CommandEncoder, SubmissionIndex};

use super::device::Gpu;
use carom_core::error::{Error, Result};

/// A read that waits for the device.
#[derive(Debug)]
pub(super) struct Pending {
    buffer: Buffer,
    bytes: u64,
    mapped: Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
    after: SubmissionIndex,
}

/// Encodes copies of the first bytes of several buffers into one buffer, one after the other. Each
/// copy begins at a multiple of 8 bytes. Returns the end of the last copy.
pub(super) fn gather(encoder: &mut CommandEncoder, from: &[(&Buffer, u64)], to: &Buffer) -> u64 {
    from.iter().fold(0, |end: u64, (buffer, bytes)| {
        let at = end.next_multiple_of(8);
        encoder.copy_buffer_to_buffer(buffer, 0, to, at, *bytes);
        at + bytes
    })
}

impl Gpu {
    /// An empty buffer that can be written to.
    pub(super) fn buffer(&self, label: &str, bytes: u64, usage: BufferUsages) -> Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.max(16),
            usage: usage | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// A storage buffer that can be read back.
    pub(super) fn storage(&self, label: &str, bytes: u64) -> Buffer {
        self.buffer(label, bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)
    }

    /// A buffer with these contents. One that is created mapped would panic on a lost device.
    pub(super) fn upload(&self, label: &str, contents: &[u8], usage: BufferUsages) -> Buffer {
        let buffer = self.buffer(label, contents.len() as u64, usage);
        self.queue.write_buffer(&buffer, 0, contents);
        buffer
    }

    /// The bind group of buffers at the bindings of a pipeline.
    pub(super) fn bind<'b>(
        &self,
        pipeline: &wgpu::ComputePipeline,
        buffers: impl IntoIterator<Item = (u32, &'b Buffer)>,
    ) -> wgpu::BindGroup {
        let entry = |(binding, buffer): (u32, &'b Buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        };
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &buffers.into_iter().map(entry).collect::<Vec<_>>(),
        })
    }

    /// Reads the first bytes of several buffers through the mappable buffer `read`, after the
    /// device has finished all submitted work. The layout is the layout of [`gather`].
    pub(super) fn copy_back(&self, from: &[(&Buffer, u64)], read: &Buffer) -> Result<Vec<u8>> {
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let bytes = gather(&mut encoder, from, read);
        let after = self.queue.submit([encoder.finish()]);
        self.receive(self.request(read, bytes, after))
    }

    /// Begins to read the first `bytes` of a buffer that can be mapped, after a submission.
    pub(super) fn request(&self, buffer: &Buffer, bytes: u64, after: SubmissionIndex) -> Pending {
        let (sender, mapped) = channel();
        buffer.slice(0..bytes).map_async(wgpu::MapMode::Read, move |result| {
            // The receiver outlives the callback; were it gone, nobody would miss the message.
            let _ = sender.send(result);
        });
        Pending { buffer: buffer.clone(), bytes, mapped, after }
    }

    pub(super) fn receive(&self, pending: Pending) -> Result<Vec<u8>> {
        let trouble =
            |what: &dyn std::fmt::Display| Error::device(format!("{}: {what}", self.report.name));
        let Pending { buffer, bytes, mapped, after } = pending;
        let poll =
            self.device.poll(wgpu::PollType::Wait { submission_index: Some(after), timeout: None });
        self.check()?;
        poll.map_err(|e| trouble(&e))?;
        mapped.recv().map_err(|e| trouble(&e))?.map_err(|e| trouble(&e))?;
        let copy = buffer.slice(0..bytes).get_mapped_range().map(|view| view.to_vec());
        buffer.unmap();
        copy.map_err(|e| trouble(&e))
    }
}
