"""The device floor: devices, streams, memory, descriptions, attributes."""
