import RillRooms
import Testing
